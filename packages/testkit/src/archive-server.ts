import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { copyFile, mkdtemp, open, rm, stat } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureTestEnvoy } from './envoy.ts';

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

export interface ArchiveFile {
  readonly path: string;
  readonly sha256: string;
  readonly size: number;
}

/** A binary of Envoy in the index. */
export interface PublishedBinary {
  readonly version: string;
  readonly file: ArchiveFile;
  /** Default: `linux-amd64`. */
  readonly arch?: string;
  /** Replaces the digest of the file. */
  readonly sha256?: string;
  /** Replaces the answer with the file. */
  readonly answer?: Handler;
}

/** A release archive on loopback that serves files and misbehaves on request. */
export interface ArchiveServer {
  readonly url: string;
  /** Requested paths, in order. */
  readonly asked: readonly string[];
  serve(path: string, answer: ArchiveFile | Buffer | Handler): string;
  /** A real Envoy, followed by `extra`, which changes its digest and not what it does. */
  makeEnvoy(version: string, extra?: Buffer): Promise<ArchiveFile>;
  /** Serves an index that lists these binaries of Envoy, and each file below `/files/`. */
  publish(binaries: readonly PublishedBinary[]): void;
  /** A file with a digest. */
  describe(path: string): Promise<ArchiveFile>;
  readonly dir: string;
  close(): Promise<void>;
}

export async function startArchive(): Promise<ArchiveServer> {
  const dir = await mkdtemp(join(tmpdir(), 'archive-'));
  const answers = new Map<string, Handler>();
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? '');
    const answer = answers.get(request.url ?? '');
    if (answer) answer(request, response);
    else response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  let files = 0;
  return {
    url,
    asked,
    dir,
    serve(path, answer) {
      answers.set(path, toHandler(answer));
      return `${url}${path}`;
    },
    describe,
    publish(binaries) {
      const releases = binaries.map(({ version, file, arch = 'linux-amd64', sha256 = file.sha256, answer }, i) => {
        answers.set(`/files/${i}`, toHandler(answer ?? file));
        return { version: `v${version}`, binaries: [{ arch, download_url: `files/${i}`, sha256 }] };
      });
      answers.set('/index.json', toHandler(Buffer.from(JSON.stringify({ releases }))));
    },
    async makeEnvoy(version, extra) {
      files += 1;
      const path = join(dir, `envoy-${files}`);
      await copyFile((await ensureTestEnvoy(version)).path, path);
      const file = await open(path, 'a');
      if (extra) await file.write(extra);
      await file.close();
      return describe(path);
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await rm(dir, { recursive: true, force: true });
    },
  };
}

async function describe(path: string): Promise<ArchiveFile> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path)) hash.update(chunk);
  return { path, sha256: hash.digest('hex'), size: (await stat(path)).size };
}

function toHandler(answer: ArchiveFile | Buffer | Handler): Handler {
  if (typeof answer === 'function') return answer;
  if (Buffer.isBuffer(answer)) return (_, response) => response.end(answer);
  return (_, response) => {
    response.writeHead(200, { 'content-length': answer.size });
    createReadStream(answer.path).pipe(response);
  };
}
