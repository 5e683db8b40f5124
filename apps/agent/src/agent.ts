import { join } from 'node:path';
import { create } from '@bufbuild/protobuf';
import { type Clock, Lifecycle, type Logger } from '@flotilla/kit';
import { fleet } from '@flotilla/proto';
import { AccessLogs, type AccessLogsOptions } from './access-log/index.ts';
import { CommandExecutor } from './commands/executor.ts';
import { CommandJournal } from './commands/journal.ts';
import { ENVOY_DRAIN, type ServiceHost } from './host/index.ts';
import type { Identity, IdentityFiles } from './identity/identity-files.ts';
import { Renewal, type RenewalOptions } from './identity/renewal.ts';
import { CommandLink, type CommandLinkOptions } from './link/command-link.ts';
import { type ControllerAddress, openClient } from './link/controller-client.ts';
import { Outbox } from './link/outbox.ts';
import { Reopening } from './link/reopening.ts';
import { Network, type NetworkOptions } from './network/network.ts';
import { Relays, type RelaysOptions } from './relay/relays.ts';
import { createHealthRoutes } from './routing/health-routes.ts';
import { createCounterSender } from './senders/counter-sender.ts';
import { createEventSender } from './senders/event-sender.ts';
import { createStatsSender } from './senders/stats-sender.ts';
import { createListenerWatch } from './telemetry/listener-watch.ts';
import { createTrafficSender } from './telemetry/traffic-sender.ts';

export interface AgentOptions {
  readonly controller: ControllerAddress;
  readonly dataDir: string;
  readonly files: IdentityFiles;
  readonly host: ServiceHost;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly network: Pick<NetworkOptions, 'settings' | 'guardCommand' | 'env'>;
  /** Most bytes of access logs that wait for the controller; 256 MiB by default. */
  readonly logSpoolBytes?: number | undefined;
  /** Only tests set this and the following options. */
  readonly backoff?: CommandLinkOptions['backoff'];
  readonly renewal?: Pick<RenewalOptions, 'random' | 'checkMs'>;
  readonly rolloutLimits?: RelaysOptions['limits'];
  readonly accessLogs?: Pick<AccessLogsOptions, 'backoff' | 'segmentBytes' | 'delayMs'>;
}

export interface Agent {
  readonly isConnected: boolean;
  /** Connects to the controller. Until then, the relays serve the last good sets from disk. */
  start(identity: Identity): Promise<void>;
  /** Stops the agent. The caller closes the host. */
  close(): Promise<void>;
}

/**
 * Connects the command stream, the journal and the relays to a host. The caller must call this in the same turn of the event
 * loop in which it creates the host, so that no Envoy starts before its relay.
 */
export function createAgent(options: AgentOptions): Agent {
  const { host, logger } = options;
  const lifecycle = new Lifecycle();
  const outbox = new Outbox();
  const relays = new Relays({
    host,
    logger,
    onReport: (report, serviceId) => {
      outbox.put(`rollout ${report.nodeId}`, { case: 'rolloutReport', value: report });
      listeners.check(serviceId);
      host.ha.noteRollout(serviceId, report.state);
    },
    limits: { drainMs: ENVOY_DRAIN.shutdownS * 1000, ...options.rolloutLimits },
  });
  lifecycle.add(() => relays.close());
  const accessLogs = new AccessLogs({
    host,
    clock: options.clock,
    logger,
    spoolBytes: options.logSpoolBytes,
    ...options.accessLogs,
  });
  lifecycle.add(() => accessLogs.close());
  const listeners = createListenerWatch({ host, relays, logger });
  lifecycle.add(() => listeners.close());
  const unwatch = host.onReport((report) => {
    outbox.put(`node ${report.serviceId}`, { case: 'nodeReport', value: report });
    listeners.noteProcess(report);
  });
  lifecycle.add(unwatch);
  const toReport = (report: object) => ({ reportJson: Buffer.from(JSON.stringify(report)) });
  lifecycle.add(host.ha.onReport((report) => outbox.put('ha', { case: 'haReport', value: toReport(report) })));
  const healthRoutes = createHealthRoutes({ host, dataDir: options.dataDir, logger });
  lifecycle.add(() => healthRoutes.close());
  let link: CommandLink | undefined;
  return {
    get isConnected() {
      return link?.isConnected === true;
    },
    async start(identity) {
      link = await connect({ ...options, identity, outbox, relays, accessLogs }, lifecycle);
    },
    close: () => lifecycle.close(),
  };
}

type Connecting = Omit<AgentOptions, 'accessLogs'> & {
  readonly identity: Identity;
  readonly outbox: Outbox;
  readonly relays: Relays;
  readonly accessLogs: AccessLogs;
};

// oxlint-disable-next-line max-lines-per-function -- wiring in dependency order
async function connect(options: Connecting, lifecycle: Lifecycle): Promise<CommandLink> {
  const { controller, identity, files, host, clock, logger, outbox, relays, accessLogs } = options;
  const journal = await CommandJournal.open(join(options.dataDir, 'commands.log'));
  lifecycle.add(() => journal.close());
  const generations = new Map<string, bigint>();
  const reopening = new Reopening(identity, {
    open: (current) => openClient(controller, current),
    onOpened(client) {
      relays.connect(client);
      accessLogs.connect(client);
    },
    reconnect: () => link.reconnect(),
  });
  const reachController = (signal: AbortSignal) => reopening.prove(signal);
  const network = new Network({ ...options.network, reachController, logger: logger.child({ component: 'network' }) });
  await network.recover();
  const executor = createExecutor(options, { journal, generations, network });
  lifecycle.add(() => executor.close());
  const stats = createStatsSender({ host, outbox, logger, backlogs: () => accessLogs.backlogs() });
  lifecycle.add(() => stats.stop());
  const counters = createCounterSender({ host, outbox, clock, logger });
  lifecycle.add(() => counters.close());
  const events = createEventSender({ host, outbox, clock, logger });
  lifecycle.add(() => events.close());
  const traffic = createTrafficSender({ host, outbox, clock, logger, relays });
  lifecycle.add(() => traffic.close());

  const link = new CommandLink({
    client: () => reopening.client,
    outbox,
    clock,
    logger,
    ...(options.backoff && { backoff: options.backoff }),
    hello: () => create(fleet.HelloSchema, { facts: describeHost(host, renewal), nodes: host.reports() }),
    onWelcome({ statsIntervalMs }) {
      reopening.noteWelcome();
      resend({ journal, relays, outbox });
      counters.resend();
      events.resend();
      traffic.resend();
      host.ha.resend();
      stats.start(statsIntervalMs);
    },
    onDesired(state) {
      generations.clear();
      for (const { serviceId, generation } of state.services) generations.set(serviceId, generation);
      host.setDesired(state);
    },
    onCommand: (command) => executor.offer(command),
    async onResultStored(commandId) {
      outbox.drop(`progress ${commandId}`);
      await journal.markStored(commandId);
    },
    onEventsStored: (stored) => events.stored(stored),
    onMinutesStored: (stored) => counters.stored(stored),
    onTrafficStored: (stored) => traffic.stored(stored),
    onLost({ code }) {
      stats.stop();
      traffic.pause();
      if (code === 'certificate.expired') renewal.renewNow();
      // The client was removed. The other member of its pair may serve the addresses.
      if (code === 'certificate.revoked') host.leavePair();
    },
  });
  const renewal = new Renewal(identity, {
    files,
    clock,
    logger,
    openClient: (current) => openClient(controller, current),
    onRenewed: (next) => reopening.use(next),
    ...options.renewal,
  });

  lifecycle.add(host.onFacts(() => outbox.put('facts', { case: 'hostFacts', value: describeHost(host, renewal) })));
  relays.connect(reopening.client);
  accessLogs.connect(reopening.client);
  executor.resume();
  link.start();
  renewal.start();
  lifecycle.add(() => reopening.close());
  lifecycle.add(() => link.close());
  lifecycle.add(() => renewal.close());
  return link;
}

interface ExecutorState {
  readonly journal: CommandJournal;
  /** Generation of the desired state, by service. */
  readonly generations: ReadonlyMap<string, bigint>;
  readonly network: Network;
}

/** The executor reports to the controller through the outbox. */
function createExecutor({ host, clock, logger, outbox }: Connecting, { journal, generations, network }: ExecutorState) {
  return new CommandExecutor({
    host,
    network,
    journal,
    clock,
    logger,
    desiredGeneration: (serviceId) => generations.get(serviceId) ?? 0n,
    onAccepted: (commandId) => outbox.put(`accepted ${commandId}`, { case: 'accepted', value: { commandId } }),
    onProgress: (commandId, step, message) =>
      outbox.put(`progress ${commandId}`, { case: 'progress', value: { commandId, step, message } }),
    onResult: (result) => outbox.put(`result ${result.commandId}`, { case: 'result', value: result }),
  });
}

/** Operators find a wrong clock in the metadata of the client. */
function describeHost(host: ServiceHost, { clockProblem }: Renewal): fleet.HostFacts {
  const facts = host.hostFacts();
  if (clockProblem !== undefined) facts.metadata.clock = clockProblem;
  return facts;
}

/** Sends everything again that an earlier stream may have lost, except the nodes, which Hello contains. */
function resend({ journal, relays, outbox }: { journal: CommandJournal; relays: Relays; outbox: Outbox }): void {
  for (const { commandId } of journal.running()) {
    outbox.put(`accepted ${commandId}`, { case: 'accepted', value: { commandId } });
  }
  for (const result of journal.unstored()) {
    outbox.put(`result ${result.commandId}`, { case: 'result', value: result });
  }
  for (const report of relays.reports()) {
    outbox.put(`rollout ${report.nodeId}`, { case: 'rolloutReport', value: report });
  }
}
