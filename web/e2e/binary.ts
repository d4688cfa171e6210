// The real program, started for a test on a data directory of its own.

import { spawn, type ChildProcess } from "node:child_process";
import { existsSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";

export const binaryPath = path.resolve(process.env["IBID_BIN"] ?? "../bin/ibid");

/** Why browser tests can't run here, if they can't. */
export function missing(): string | undefined {
  if (!existsSync(binaryPath)) return `no program at ${binaryPath}: make build, or set IBID_BIN`;
  if (!chromiumPath()) return "no Chromium: apt-get install chromium, or set CHROMIUM";
  return undefined;
}

export function chromiumPath(): string | undefined {
  const places = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];
  return [process.env["CHROMIUM"] ?? "", ...places].find((p) => p !== "" && existsSync(p));
}

export class Ibid {
  private child: ChildProcess | undefined;
  private readonly data = mkdtempSync(path.join(tmpdir(), "ibid-e2e-"));
  private addr = "127.0.0.1:0";
  private output = "";

  constructor(private readonly args: readonly string[] = [], private readonly env: Record<string, string> = {}) {}

  get url(): string {
    return `http://${this.addr}`;
  }

  /** Starts the program; the second time at the same address, on the same data. */
  async start(): Promise<void> {
    for (let tries = 1; ; tries++) {
      try {
        await this.startOnce();
        return;
      } catch (err) {
        // Any connection of this machine may have been given the port meanwhile, for a while.
        if (tries === 100 || !(err instanceof Error) || !/ in use/.test(err.message)) throw err;
        this.output = "";
        await new Promise((resolve) => setTimeout(resolve, 500));
      }
    }
  }

  private async startOnce(): Promise<void> {
    const child = spawn(binaryPath, ["serve", "--addr", this.addr, "--data", this.data, ...this.args], {
      stdio: ["ignore", "pipe", "pipe"],
      // The tests ask the same again and again, and want it answered each time.
      env: { ...process.env, IBID_CONFIG: "", IBID_CACHE: "off", ...this.env },
    });
    this.child = child;
    child.stderr.on("data", (b: Buffer) => (this.output += b.toString()));
    await new Promise<void>((resolve, reject) => {
      createInterface({ input: child.stdout }).on("line", (line) => {
        this.output += `${line}\n`;
        const at = /listening on http:\/\/(\S+)/.exec(line);
        if (!at?.[1]) return;
        this.addr = at[1];
        resolve();
      });
      child.once("error", reject);
      child.once("exit", (code) => reject(new Error(`ibid ended with ${code}:\n${this.output}`)));
    });
  }

  /** Takes the disk of the originals away, or brings it back. */
  originals(there: boolean): void {
    const files = path.join(this.data, "files");
    renameSync(there ? `${files}.away` : files, there ? files : `${files}.away`);
  }

  /** As a power cut would. */
  kill(): Promise<void> {
    return this.end("SIGKILL");
  }

  async stop(): Promise<void> {
    await this.end("SIGTERM");
    rmSync(this.data, { recursive: true, force: true });
  }

  private async end(signal: NodeJS.Signals): Promise<void> {
    const child = this.child;
    this.child = undefined;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((resolve) => child.once("exit", resolve));
    child.kill(signal);
    await ended;
  }
}
