import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { createTestController, type TestController } from '@flotilla/controller/testing/controller';
import { afterAll, beforeAll, expect } from 'vitest';
import { runCli } from '../../main.ts';
import { EXIT } from '../exit-codes.ts';

interface CliAnswer {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Runs commands with separate settings and captures their output. */
export interface TestTerminal {
  readonly folder: string;
  readonly env: NodeJS.ProcessEnv;
  run(argv: readonly string[], options?: { stdin?: string; env?: NodeJS.ProcessEnv }): Promise<CliAnswer>;
  /** For a command that runs until `signal` aborts. */
  follow(argv: readonly string[], signal: AbortSignal): { readonly code: Promise<number>; out(): string };
  close(): Promise<void>;
}

export async function createTestTerminal(env: NodeJS.ProcessEnv = {}): Promise<TestTerminal> {
  const folder = await mkdtemp(join(tmpdir(), 'flotilla-cli-'));
  const base = { PATH: process.env.PATH, FLOTILLA_CONFIG: join(folder, 'config', 'cli.json'), ...env };
  const start = (argv: readonly string[], { env: more = {}, stdin, signal }: Started) => {
    const [out, err] = [createSink(), createSink()];
    const code = runCli(argv, {
      env: { ...base, ...more },
      stdin: Readable.from(stdin === undefined ? [] : [stdin]),
      stdout: out.stream,
      stderr: err.stream,
      signal,
      command: [process.execPath],
    });
    return { code, out: out.text, err: err.text };
  };
  return {
    folder,
    env: base,
    async run(argv, options = {}) {
      const { code, out, err } = start(argv, { ...options, signal: new AbortController().signal });
      return { code: await code, out: out(), err: err() };
    },
    follow: (argv, signal) => start(argv, { signal }),
    close: () => rm(folder, { recursive: true, force: true }),
  };
}

export interface OwnersTerminal extends TestTerminal {
  /** Address of the controller. */
  readonly url: string;
}

/** Starts the HTTP server of the controller and signs in as its first owner. */
export async function openOwnersTerminal({
  app,
  controller,
}: Pick<TestController, 'app' | 'controller'>): Promise<OwnersTerminal> {
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  const terminal = await createTestTerminal();
  const argv = ['login', '--url', url, '--username', 'admin', '--password-stdin'];
  expect((await terminal.run(argv, { stdin: controller.firstOwner?.password })).code).toBe(EXIT.ok);
  return { ...terminal, url };
}

/** Signs in as a new member of the project. */
export async function openMembersTerminal(
  t: Pick<TestController, 'createMember' | 'project'>,
  url: string,
  role: Parameters<TestController['createMember']>[0],
): Promise<TestTerminal> {
  const { username, password } = await t.createMember(role);
  const terminal = await createTestTerminal();
  const argv = ['login', '--url', url, '--username', username, '--password-stdin'];
  expect((await terminal.run(argv, { stdin: password })).code).toBe(EXIT.ok);
  await terminal.run(['use', t.project]);
  return terminal;
}

/** A controller and its owner's terminal for all tests of a file. */
export function shareOwnersTerminal(): { readonly t: TestController; readonly terminal: OwnersTerminal } {
  let opened: { readonly t: TestController; readonly terminal: OwnersTerminal } | undefined;
  const get = () => {
    if (!opened) throw new Error('the terminal is opened before the first test');
    return opened;
  };
  beforeAll(async () => {
    const t = await createTestController();
    opened = { t, terminal: await openOwnersTerminal(t) };
  });
  afterAll(async () => {
    await opened?.terminal.close();
    await opened?.t.close();
  });
  return {
    get t() {
      return get().t;
    },
    get terminal() {
      return get().terminal;
    },
  };
}

interface Started {
  readonly stdin?: string | undefined;
  readonly env?: NodeJS.ProcessEnv | undefined;
  readonly signal: AbortSignal;
}

function createSink(): { stream: Writable; text(): string } {
  const chunks: string[] = [];
  const stream = new Writable({
    write(chunk, _encoding, done) {
      chunks.push(String(chunk));
      done();
    },
  });
  return { stream, text: () => chunks.join('') };
}
