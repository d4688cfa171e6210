// A zip file whose parts are stored as they are: what Office files and books are.

import { crc32 } from "node:zlib";

export function zip(parts: readonly (readonly [name: string, content: string])[]): Buffer {
  const files: Buffer[] = [];
  const directory: Buffer[] = [];
  let at = 0;
  for (const [name, content] of parts) {
    const data = Buffer.from(content);
    const called = Buffer.from(name);
    // Needs version 2.0, names are UTF-8, stored, 1 January 2026, checksum, both sizes, length of the name.
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt16LE(0x800, 2);
    common.writeUInt16LE(((2026 - 1980) << 9) | (1 << 5) | 1, 8);
    common.writeUInt32LE(crc32(data), 10);
    common.writeUInt32LE(data.length, 14);
    common.writeUInt32LE(data.length, 18);
    common.writeUInt16LE(called.length, 22);
    files.push(Buffer.from("PK\x03\x04", "latin1"), common, called, data);
    const place = Buffer.alloc(14); // no comment, first disk, no attributes
    place.writeUInt32LE(at, 10);
    directory.push(Buffer.from("PK\x01\x02\x14\x00", "latin1"), common, place, called);
    at += 30 + called.length + data.length;
  }
  const size = directory.reduce((sum, b) => sum + b.length, 0);
  const end = Buffer.alloc(22);
  end.write("PK\x05\x06", "latin1");
  end.writeUInt16LE(parts.length, 8);
  end.writeUInt16LE(parts.length, 10);
  end.writeUInt32LE(size, 12);
  end.writeUInt32LE(at, 16);
  return Buffer.concat([...files, ...directory, end]);
}
