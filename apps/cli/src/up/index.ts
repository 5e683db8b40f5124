import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { endServices } from '@flotilla/agent/end-services';
import { lockDataDir } from '@flotilla/agent/run-lock';
import { createEnvoyDist, type InstallProgress } from '@flotilla/envoy-dist';
import { createSilentLogger, Lifecycle, sleep } from '@flotilla/kit';
import { deriveAgentDir } from './agent-dir.ts';
import { ChildProgram } from './child-program.ts';
import { createDemoCommands } from './demo.ts';
import { ChildRegistry, stopLeftovers } from './leftovers.ts';
import { parseUpOptions, UP_USAGE, type UpOptions } from './options.ts';
import { describeBusyPort } from './ports.ts';
import { seedDemo } from './seed.ts';
import { createState, readState, resetDataDir, type UpState, writeState } from './state.ts';
import { startDemoUpstream } from './upstream.ts';

export interface UpIo {
  readonly env: NodeJS.ProcessEnv;
  readonly stdout: NodeJS.WritableStream;
  readonly stderr: NodeJS.WritableStream;
  /** Aborted at Ctrl-C. */
  readonly signal: AbortSignal;
  /** How to run `flotilla` again: program and leading arguments. */
  readonly command: readonly string[];
}

/** A slower start usually upgrades a large database. An interrupted upgrade begins again at the next start. */
const USUALLY_READY_MS = 30_000;

/** Runs `flotilla up`: a controller, an agent, an Envoy with its filter and a demo service, until Ctrl-C. */
export async function runUp(argv: readonly string[], io: UpIo): Promise<number> {
  const parsed = parseUpOptions(argv, io.env);
  if (!parsed.ok) {
    if (parsed.error) io.stderr.write(`flotilla up: ${parsed.error}\n\n`);
    (parsed.error ? io.stderr : io.stdout).write(UP_USAGE);
    return parsed.error ? 2 : 0;
  }
  const options = parsed.value;
  const lifecycle = new Lifecycle();
  try {
    const problem = await prepare(options, lifecycle);
    if (problem) {
      io.stderr.write(`flotilla up: ${problem}\n`);
      return 1;
    }
    return await new Up(options, io, lifecycle).run();
  } finally {
    if (io.signal.aborted) io.stdout.write('\nStopping ...\n');
    await lifecycle.close();
  }
}

/** Locks and prepares the data folder. Returns a message if the programs cannot be started. */
async function prepare(options: UpOptions, lifecycle: Lifecycle): Promise<string | undefined> {
  const lock = await lockDataDir(options.dataDir, 'up.lock').catch((error: NodeJS.ErrnoException) => error);
  if (lock instanceof Error) {
    return `${options.dataDir} cannot be the data folder (${lock.message}). Choose another: --data DIR.`;
  }
  if ('holder' in lock) {
    return `another one already runs in ${options.dataDir} (process ${lock.holder}). Stop it with Ctrl-C, or choose another folder: --data DIR.`;
  }
  lifecycle.add(lock.unlock);
  await stopLeftovers(options.dataDir);
  if (options.reset) await reset(options.dataDir);
  const seeded = (await readState(options.dataDir))?.seeded;
  return describeBusyPort({
    '--port': options.port,
    '--grpc-port': options.grpcPort,
    // The proxy of a killed agent still uses this port, and the next agent takes the proxy over.
    ...(seeded?.proxyPort !== options.proxyPort && { '--proxy-port': options.proxyPort }),
  });
}

/** Ends the proxies of a killed agent first. Otherwise they would occupy ports of the next agent, which does not know them. */
async function reset(dataDir: string): Promise<void> {
  const agentDir = await deriveAgentDir(dataDir, isRoot());
  await endServices({ dataDir: agentDir }, createSilentLogger());
  await resetDataDir(dataDir, agentDir);
}

function isRoot(): boolean {
  return process.getuid?.() === 0;
}

class Up {
  readonly #options: UpOptions;
  readonly #io: UpIo;
  readonly #lifecycle: Lifecycle;
  readonly #children: ChildProgram[] = [];
  readonly #registry: ChildRegistry;
  #progressLine = '';

  constructor(options: UpOptions, io: UpIo, lifecycle: Lifecycle) {
    this.#options = options;
    this.#io = io;
    this.#lifecycle = lifecycle;
    this.#registry = new ChildRegistry(options.dataDir, ({ message }) => {
      io.stderr.write(
        `flotilla up: started processes cannot be recorded (${message}). If flotilla up is killed, stop them yourself.\n`,
      );
    });
    lifecycle.add(() => this.#registry.settle());
  }

  async run(): Promise<number> {
    const { dataDir, port } = this.#options;
    await mkdir(join(dataDir, 'logs'), { recursive: true, mode: 0o700 });
    const first = await readState(dataDir);
    const state = first ?? createState();
    if (!first) await writeState(dataDir, state);

    // The demo resumes with its Envoy version, which is already installed.
    const envoy = await this.#ensureEnvoy(state.seeded?.envoyVersion ?? this.#options.envoyVersion);
    const controller = await this.#startController(state);
    this.#say('Waiting for the controller');
    const early = await Promise.race([controller.gaveUp, this.#waitUntilReady()]);
    if (early !== undefined || this.#io.signal.aborted)
      return this.#giveUp(early ?? 'stopped before the controller was ready');

    const upstream = await startDemoUpstream(state.seeded?.upstreamPort);
    this.#lifecycle.add(() => upstream.close());
    const seeded = await seedDemo({
      baseUrl: `http://127.0.0.1:${port}`,
      state,
      upstreamPort: upstream.port,
      options: this.#options,
      withProxy: envoy,
      signal: this.#io.signal,
      startAgent: (enrolToken) => this.#startAgent(enrolToken),
      saveState: (next) => writeState(dataDir, next),
      say: (text) => this.#say(text),
    });
    if (!seeded.ok && (!first?.seeded || this.#io.signal.aborted)) return this.#giveUp(seeded.error);
    // Keeps the controller running: a user who changed the demo needs it to change the demo back.
    if (!seeded.ok) this.#io.stderr.write(`\nflotilla up: the demo does not run: ${seeded.error}\n`);
    this.#greet(state, { hasDemo: envoy && seeded.ok, isFirst: !first });
    return this.#waitForEnd();
  }

  async #ensureEnvoy(version: string): Promise<boolean> {
    const { envoyCacheDir } = this.#options;
    const dist = createEnvoyDist({
      cacheDir: envoyCacheDir,
      env: this.#io.env,
      onProgress: (progress) => this.#showProgress(progress),
    });
    const binary = await dist.ensure(version);
    if (binary.ok) return true;
    this.#io.stderr.write(
      `\n${binary.error.message}\nThe controller starts anyway. There is no proxy until an Envoy is available.\n\n`,
    );
    return false;
  }

  async #startController(state: UpState): Promise<ChildProgram> {
    const { dataDir, port, grpcPort } = this.#options;
    return this.#start('controller', {
      args: ['--data', join(dataDir, 'controller'), '--port', String(port), '--grpc-port', String(grpcPort)],
      env: { SVC_FIRST_OWNER_PASSWORD: state.password, SVC_ENVOY_CACHE_DIR: this.#options.envoyCacheDir },
    });
  }

  async #startAgent(enrolToken: string | undefined): Promise<ChildProgram> {
    const { dataDir, grpcPort } = this.#options;
    const agentDir = await deriveAgentDir(dataDir, isRoot());
    return this.#start('agent', {
      args: [
        '--controller',
        `127.0.0.1:${grpcPort}`,
        '--data',
        agentDir,
        '--name',
        'this-machine',
        '--stop-services-on-exit',
      ],
      env: {
        SVC_ENVOY_CACHE_DIR: this.#options.envoyCacheDir,
        ...(enrolToken && { SVC_AGENT_ENROL_TOKEN: enrolToken }),
      },
    });
  }

  async #start(
    name: string,
    { args, env }: { args: readonly string[]; env: NodeJS.ProcessEnv },
  ): Promise<ChildProgram> {
    const spec = {
      name,
      command: this.#io.command,
      args: [name, ...args],
      env: { ...this.#io.env, ...env },
      logFile: this.#logOf(name),
    };
    const child = new ChildProgram(spec, (pid) => this.#registry.set(name, pid));
    this.#children.push(child);
    this.#lifecycle.add(() => child.stop());
    return child;
  }

  /** Has no timeout: a controller that cannot start exits and is given up. */
  async #waitUntilReady(): Promise<undefined> {
    const reportAt = Date.now() + USUALLY_READY_MS;
    let isReported = false;
    while (!this.#io.signal.aborted) {
      const ready = await fetch(`http://127.0.0.1:${this.#options.port}/readyz`).then(
        (response) => response.ok,
        () => false,
      );
      if (ready) return;
      if (!isReported && Date.now() > reportAt) {
        isReported = true;
        this.#say(`Waiting for the controller, which may be upgrading its database (${this.#logOf('controller')})`);
      }
      await sleep(50, this.#io.signal);
    }
  }

  #logOf(name: string): string {
    return join(this.#options.dataDir, 'logs', `${name}.log`);
  }

  async #waitForEnd(): Promise<number> {
    const stopped = new Promise<undefined>((resolve) => {
      if (this.#io.signal.aborted) resolve(undefined);
      this.#io.signal.addEventListener('abort', () => resolve(undefined), { once: true });
    });
    const ended = await Promise.race([stopped, ...this.#children.map((child) => child.gaveUp)]);
    if (ended === undefined) return 0;
    await this.#endOrphans();
    return this.#giveUp(ended);
  }

  /** Ends the proxies of an agent that was given up, because their upstream and controller end with this process. */
  async #endOrphans(): Promise<void> {
    for (const child of this.#children) await child.stop();
    const dataDir = await deriveAgentDir(this.#options.dataDir, isRoot());
    await endServices({ dataDir }, createSilentLogger());
  }

  #giveUp(reason: string): number {
    if (this.#io.signal.aborted) return 130;
    this.#io.stderr.write(`flotilla up: ${reason}\n`);
    return 1;
  }

  #greet(state: UpState, { hasDemo, isFirst }: { hasDemo: boolean; isFirst: boolean }): void {
    const { port, proxyPort, dataDir } = this.#options;
    const lines = [
      '',
      `Flotilla is up. Open it in a browser and sign in:`,
      '',
      `  address   http://127.0.0.1:${port}`,
      `  user      admin`,
      `  password  ${state.password}${isFirst ? '' : '   (unless you have changed it)'}`,
      `  data      ${dataDir}`,
      '',
    ];
    if (hasDemo) {
      lines.push(
        'Send requests through the demo proxy: paste these into another terminal; each prints the status at its end:',
        '',
      );
      for (const { title, command, status } of createDemoCommands(proxyPort))
        lines.push(`  # ${title}: ${status}`, `  ${command}`, '');
    }
    lines.push('Ctrl-C stops everything; the next start resumes.', '');
    this.#io.stdout.write(lines.join('\n'));
  }

  /** Prints one line per 10 %, so that a log stays readable. */
  #showProgress({ version, step, receivedBytes, totalBytes }: InstallProgress): void {
    const tenths = totalBytes ? Math.floor((receivedBytes / totalBytes) * 10) : 0;
    const line =
      step === 'download' ? `Fetching Envoy ${version}${tenths ? `: ${tenths}0 %` : ''}` : `Envoy ${version}: ${step}`;
    if (line === this.#progressLine) return;
    this.#progressLine = line;
    this.#say(line);
  }

  #say(text: string): void {
    this.#io.stdout.write(`  ${text} ...\n`);
  }
}
