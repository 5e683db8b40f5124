import { createHash } from 'node:crypto';
import { lstat, open } from 'node:fs/promises';
import { join } from 'node:path';
import { createEnvoyDist, createModuleStore } from '@flotilla/envoy-dist';
import { createLogger, err, Lifecycle, makeFolder, ok, type Result, systemClock, toErrorMessage } from '@flotilla/kit';
import { createAgent } from './agent.ts';
import { AGENT_USAGE, type AgentConfig, parseConfig } from './config.ts';
import { isDiskFull } from './disk-full.ts';
import { createServiceHost, type ServiceHost, wafModuleDir } from './host/index.ts';
import { digestToken, type EnrolOptions, enrol } from './identity/enrol.ts';
import { type Identity, IdentityFiles } from './identity/identity-files.ts';
import { AGENT_LOG, agentLogDir } from './logs/targets.ts';
import { chooseNetwork } from './network/choose.ts';
import { lockDataDir } from './run-lock.ts';

export interface ProgramIo {
  readonly env: NodeJS.ProcessEnv;
  readonly stdout: NodeJS.WritableStream;
  readonly stderr: NodeJS.WritableStream;
  /** Aborted when the program is asked to stop. */
  readonly signal: AbortSignal;
  /** Command that runs `flotilla` again: the program and its leading arguments. */
  readonly command: readonly string[];
}

const VERSION = '0.1.0';
/** The settings, the token or the folders are wrong, so another start cannot succeed. */
const EXIT_SETTINGS = 2;
const EXIT_DISK_FULL = 1;

/** Runs `flotilla agent`. Returns the exit code after the agent has stopped. */
export async function runAgent(argv: readonly string[], io: ProgramIo): Promise<number> {
  const parsed = parseConfig(argv, io.env);
  if (parsed.ok === 'help') {
    io.stdout.write(AGENT_USAGE);
    return 0;
  }
  if (!parsed.ok) {
    io.stderr.write(`flotilla agent: ${parsed.error}\n\n${AGENT_USAGE}`);
    return EXIT_SETTINGS;
  }
  const config = parsed.value;
  const lifecycle = new Lifecycle();
  try {
    const problem = await prepareFolders(config, lifecycle).catch(describeFolderProblem);
    if (problem) {
      io.stderr.write(`flotilla agent: ${problem.text}\n`);
      return problem.exitCode;
    }
    return await run(config, io, lifecycle);
  } finally {
    await lifecycle.close();
  }
}

async function run(config: AgentConfig, io: ProgramIo, lifecycle: Lifecycle): Promise<number> {
  const { controller, dataDir } = config;
  const copy = await openOwnLog(dataDir);
  const logger = createLogger({ name: 'agent', level: config.logLevel, ...(copy !== undefined && { copy }) });
  const host = openHost(config, io, logger);
  // The host is closed last, after the agent has stopped.
  lifecycle.add(() => host.close({ stopServices: config.stopServicesOnExit }));
  const files = new IdentityFiles(dataDir);
  const network = chooseNetwork(config, io);
  const agent = createAgent({
    controller,
    dataDir,
    files,
    host,
    network,
    clock: systemClock,
    logger,
    logSpoolBytes: config.logSpoolMib * 1024 ** 2,
  });
  lifecycle.add(() => agent.close());
  const identity = await findIdentity(config.enrolToken, {
    controller,
    files,
    facts: async () => {
      await host.factsKnown();
      return host.hostFacts();
    },
    clock: systemClock,
    logger,
    signal: io.signal,
    print: (text) => io.stderr.write(`flotilla agent: ${text}\n`),
  });
  if (io.signal.aborted) return 0;
  if (!identity.ok) {
    io.stderr.write(`flotilla agent: ${identity.error}\n`);
    return EXIT_SETTINGS;
  }
  await agent.start(identity.value);
  logger.info({ client_id: identity.value.clientId, name: config.name }, 'agent.started');
  await new Promise<void>((resolve) => {
    if (io.signal.aborted) resolve();
    else io.signal.addEventListener('abort', () => resolve(), { once: true });
  });
  return 0;
}

/** The file that CLIENT_LOGS reads. The agent runs without it on a full disk. */
async function openOwnLog(dataDir: string): Promise<string | undefined> {
  const dir = agentLogDir(dataDir);
  const path = join(dir, AGENT_LOG);
  try {
    await makeFolder(dir, 0o700);
    await (await open(path, 'a', 0o600)).close();
    return path;
  } catch {
    return undefined;
  }
}

function openHost(config: AgentConfig, io: ProgramIo, logger: ReturnType<typeof createLogger>): ServiceHost {
  const { runtimeDir, dataDir, envoyCacheDir, versionQuotaMib, name, mode, hasWarmFilter, detectsCloud, labels, frr } =
    config;
  const { networkRoot: root, controller, haAddresses } = config;
  return createServiceHost({
    dirs: { runtimeDir, dataDir },
    logger,
    flotillaCommand: io.command,
    mode,
    hasWarmFilter,
    envoyDist: createEnvoyDist({ cacheDir: envoyCacheDir, env: io.env, logger }),
    modules: createModuleStore(wafModuleDir(dataDir)),
    versionQuotaBytes: versionQuotaMib * 1024 ** 2,
    sharesEnvoys: !envoyCacheDir.startsWith(`${dataDir}/`),
    name,
    agentVersion: VERSION,
    labels,
    detectsCloud,
    frr,
    root,
    ha: { controller: controller.host, ...haAddresses },
  });
}

/**
 * Returns the identity on disk, or enrols. If the identity was issued for another token, the host enrols again with the given
 * token, and keeps its identity if that fails.
 */
async function findIdentity(token: string | undefined, options: EnrolOptions): Promise<Result<Identity, string>> {
  let known: Identity | undefined;
  try {
    known = await options.files.read();
  } catch (error) {
    return err(toErrorMessage(error));
  }
  if (known && (!token || known.tokenDigest === digestToken(token))) return ok(known);
  if (!token) return err('this host is not enrolled yet: give an enrolment token (--enrol-token)');
  const enrolled = await enrol(token, options);
  if (enrolled.ok || !known) return enrolled;
  options.print(`${enrolled.error} The host keeps its identity (client ${known.clientId}).`);
  return ok(known);
}

interface StartProblem {
  readonly text: string;
  readonly exitCode: number;
}

function describeFolderProblem(error: Error): StartProblem {
  if (isDiskFull(error)) {
    const text = `the disk is full (${error.message}); free some space and start the agent again. Its folders are unchanged.`;
    return { text, exitCode: EXIT_DISK_FULL };
  }
  const text = `the folders cannot be created (${error.message}); give another --data or --runtime`;
  return { text, exitCode: EXIT_SETTINGS };
}

/** Creates and locks the folders. A returned problem explains a failure. */
async function prepareFolders(config: AgentConfig, lifecycle: Lifecycle): Promise<StartProblem | undefined> {
  const { dataDir, runtimeDir } = config;
  await makeFolder(runtimeDir, 0o711);
  const facts = await lstat(runtimeDir);
  // In a shared folder such as /tmp, another user may have created it first.
  if (!facts.isDirectory() || facts.uid !== process.getuid?.()) {
    return { text: `${runtimeDir} is not a folder of this user; give another --runtime`, exitCode: EXIT_SETTINGS };
  }
  const key = createHash('sha256').update(dataDir).digest('hex').slice(0, 12);
  // If the data disk is full, only the lock in the runtime folder (usually in memory) prevents a second agent.
  const locks = [
    () => lockDataDir(runtimeDir, `agent-${key}.lock`),
    () =>
      lockDataDir(dataDir, 'agent.lock').catch((error: unknown) => {
        if (isDiskFull(error)) return { unlock: () => Promise.resolve() };
        throw error;
      }),
  ];
  for (const take of locks) {
    const lock = await take();
    if ('holder' in lock) {
      return {
        text: `an agent is already running with the data folder ${dataDir} (process ${lock.holder}); stop it or give another --data`,
        exitCode: EXIT_SETTINGS,
      };
    }
    lifecycle.add(() => lock.unlock());
  }
  return undefined;
}
