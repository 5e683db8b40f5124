import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { create, toBinary } from '@bufbuild/protobuf';
import { FileDescriptorProtoSchema } from '@bufbuild/protobuf/wkt';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { orderDescriptors } from './order.ts';
import { scanDescriptors } from './scan.ts';

const CHUNK_BYTES = 4 << 20;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'scan-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

function describeFile(name: string, dependency: string[] = [], messages = 1) {
  const messageType = Array.from({ length: messages }, (_, i) => ({ name: `Message${i}`.padEnd(40, 'x') }));
  return create(FileDescriptorProtoSchema, { name, package: 'a.b', dependency, messageType, syntax: 'proto3' });
}

function toBytes(name: string, dependency?: string[], messages?: number): Uint8Array {
  return toBinary(FileDescriptorProtoSchema, describeFile(name, dependency, messages));
}

async function scan(...parts: Uint8Array[]) {
  const path = join(folder, `${Math.random()}`);
  await writeFile(path, Buffer.concat(parts));
  return (await scanDescriptors(path)).sort((a, b) => a.name.localeCompare(b.name));
}

const noise = (length: number) => Buffer.alloc(length, 'noise.proto and \n\u000bother.proto ');

describe('a scan', () => {
  test('finds each file once, among other data, whatever its size', async () => {
    const found = await scan(
      noise(100),
      toBytes('a.proto'),
      noise(77),
      toBytes('b/c.proto', ['a.proto'], 20_000),
      toBytes('d.proto'),
    );
    expect(found).toEqual([
      describeFile('a.proto'),
      describeFile('b/c.proto', ['a.proto'], 20_000),
      describeFile('d.proto'),
    ]);
  });

  test('finds files across the boundaries of chunks', async () => {
    const bytes = toBytes('border/file.proto', ['x.proto']);
    for (let shift = 0; shift <= bytes.length; shift += 3) {
      const found = await scan(new Uint8Array(CHUNK_BYTES - shift), bytes);
      expect(
        found.map((file) => file.name),
        `shift ${shift}`,
      ).toEqual(['border/file.proto']);
    }
  }, 120_000);

  test('ends a file before bytes that only look like another field', async () => {
    // Field 12 (syntax) may not repeat, field 1 neither, and 0x22 0x03 is a message that does not parse
    for (const tail of [
      [0x0a, 1, 65],
      [0x62, 1, 65, 0xff],
      [0x7a, 0xff, 0xff, 0xff, 0x7f],
      [0x22, 3, 0xff, 0xff, 0xff],
    ]) {
      const found = await scan(toBytes('a.proto'), new Uint8Array(tail), noise(50));
      expect(found.map((file) => [file.name, file.package, file.messageType.length])).toEqual([['a.proto', 'a.b', 1]]);
    }
  });

  test('takes the copy that parses', async () => {
    const whole = toBytes('a.proto', [], 3);
    const broken = whole.slice(0, whole.length - 60);
    for (const parts of [
      [broken, noise(64), whole],
      [whole, noise(64), broken],
    ]) {
      expect(await scan(...parts)).toEqual([describeFile('a.proto', [], 3)]);
    }
  });

  test('finds nothing in a file without descriptors, or in an empty one', async () => {
    expect(await scan(noise(5_000))).toEqual([]);
    expect(await scan(new Uint8Array(0))).toEqual([]);
  });
});

describe('the order of a descriptor set', () => {
  test('puts imports first and does not depend on the order of its input', () => {
    const files = [
      describeFile('a.proto', ['z.proto']),
      describeFile('m.proto', ['a.proto', 'z.proto']),
      describeFile('z.proto'),
    ];
    const names = orderDescriptors(files).set.file.map((file) => file.name);
    expect(names).toEqual(['z.proto', 'a.proto', 'm.proto']);
    expect(orderDescriptors(files.toReversed()).set.file.map((file) => file.name)).toEqual(names);
  });

  test('omits files with missing or transitively missing imports, and files that import each other', () => {
    const { set, incomplete } = orderDescriptors([
      describeFile('a.proto', ['gone.proto']),
      describeFile('b.proto', ['a.proto']),
      describeFile('c.proto'),
      describeFile('d.proto', ['e.proto']),
      describeFile('e.proto', ['d.proto']),
    ]);
    expect(set.file.map((file) => file.name)).toEqual(['c.proto']);
    expect(incomplete).toContain('a.proto <- gone.proto');
    expect(incomplete).toContain('b.proto <- a.proto');
  });
});
