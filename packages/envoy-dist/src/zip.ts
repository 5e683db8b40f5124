import { createHash } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import { PassThrough, type Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createInflateRaw } from 'node:zlib';

/** One entry of a zip's central directory (APPNOTE.TXT section 4.3.12). */
export interface ZipEntry {
  readonly name: string;
  readonly method: number;
  readonly compressedSize: number;
  readonly size: number;
  readonly headerOffset: number;
}

const END_SIGNATURE = 0x06054b50;
const CENTRAL_SIGNATURE = 0x02014b50;
const LOCAL_SIGNATURE = 0x04034b50;
const END_BYTES = 22;
const MAX_COMMENT_BYTES = 0xffff;

/** The entries of a zip without zip64 (files below 4 GiB: wheels). Throws if the file is not one. */
export async function readZipEntries(file: FileHandle): Promise<ZipEntry[]> {
  const { size } = await file.stat();
  const tail = await readAt(file, Math.max(0, size - END_BYTES - MAX_COMMENT_BYTES), size);
  let end = tail.length - END_BYTES;
  while (end >= 0 && tail.readUInt32LE(end) !== END_SIGNATURE) end -= 1;
  if (end < 0) throw new Error('is not a zip file: it has no end record');
  const start = tail.readUInt32LE(end + 16);
  const directory = await readAt(file, start, start + tail.readUInt32LE(end + 12));
  const entries: ZipEntry[] = [];
  for (let at = 0; at + 46 <= directory.length; ) {
    if (directory.readUInt32LE(at) !== CENTRAL_SIGNATURE) throw new Error('is a damaged zip file');
    const nameLength = directory.readUInt16LE(at + 28);
    entries.push({
      name: directory.toString('utf8', at + 46, at + 46 + nameLength),
      method: directory.readUInt16LE(at + 10),
      compressedSize: directory.readUInt32LE(at + 20),
      size: directory.readUInt32LE(at + 24),
      headerOffset: directory.readUInt32LE(at + 42),
    });
    at += 46 + nameLength + directory.readUInt16LE(at + 30) + directory.readUInt16LE(at + 32);
  }
  return entries;
}

/** Extracts an entry to the new file `path`, synced, and returns its SHA-256 as base64url (as in a wheel's RECORD). */
export async function extractZipEntry(file: FileHandle, entry: ZipEntry, path: string): Promise<string> {
  const hash = createHash('sha256');
  const target = await open(path, 'wx', 0o755);
  let written = 0;
  try {
    const content = await openEntry(file, entry);
    for await (const chunk of content) {
      const bytes = chunk as Buffer;
      written += bytes.length;
      if (written > entry.size) throw new Error(`entry ${entry.name} is longer than the zip says`);
      hash.update(bytes);
      await target.writeFile(bytes);
    }
    if (written !== entry.size) throw new Error(`entry ${entry.name} is shorter than the zip says`);
    await target.sync();
  } finally {
    await target.close();
  }
  return hash.digest('base64url');
}

/** The text of a small entry. */
export async function readZipText(file: FileHandle, entry: ZipEntry): Promise<string> {
  if (entry.size > 1 << 20) throw new Error(`entry ${entry.name} is too large`);
  const chunks: Buffer[] = [];
  for await (const chunk of await openEntry(file, entry)) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

async function openEntry(file: FileHandle, entry: ZipEntry): Promise<Readable> {
  const header = await readAt(file, entry.headerOffset, entry.headerOffset + 30);
  if (header.length < 30 || header.readUInt32LE(0) !== LOCAL_SIGNATURE) throw new Error('is a damaged zip file');
  const start = entry.headerOffset + 30 + header.readUInt16LE(26) + header.readUInt16LE(28);
  if (entry.method !== 0 && entry.method !== 8) throw new Error(`entry ${entry.name} uses compression ${entry.method}`);
  const output = entry.method === 8 ? createInflateRaw() : new PassThrough();
  if (entry.compressedSize === 0) {
    output.end();
    return output;
  }
  const raw = file.createReadStream({
    start,
    end: start + entry.compressedSize - 1,
    autoClose: false,
    highWaterMark: 1 << 20,
  });
  // A failure destroys the output, so the reader's loop throws it and handles it there
  pipeline(raw, output).catch((error: unknown) =>
    output.destroy(error instanceof Error ? error : new Error(String(error))),
  );
  return output;
}

async function readAt(file: FileHandle, start: number, end: number): Promise<Buffer> {
  const buffer = Buffer.alloc(Math.max(0, Math.min(end - start, 1 << 26)));
  const { bytesRead } = await file.read(buffer, 0, buffer.length, start);
  return buffer.subarray(0, bytesRead);
}
