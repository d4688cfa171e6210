// A wire between the browser and the server that can be cut.

import { createServer, connect, type AddressInfo, type Server, type Socket } from "node:net";

export class Proxy {
  private server: Server | undefined;
  private readonly sockets = new Set<Socket>();

  async start(to: string): Promise<string> {
    const { hostname, port } = new URL(to);
    const server = createServer((near) => {
      const far = connect(Number(port), hostname);
      for (const s of [near, far]) {
        this.sockets.add(s);
        s.on("error", () => undefined);
        s.on("close", () => {
          this.sockets.delete(s);
          near.destroy();
          far.destroy();
        });
      }
      near.pipe(far);
      far.pipe(near);
    });
    this.server = server;
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  /** Breaks every connection there is. */
  cut(): void {
    for (const s of this.sockets) s.destroy();
  }

  stop(): void {
    this.cut();
    this.server?.close();
  }
}
