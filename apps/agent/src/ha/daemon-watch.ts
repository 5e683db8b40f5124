import type { HaConfig, MemberReport } from '@flotilla/ha';
import { err, ok, type Result } from '@flotilla/kit';
import type { fleet } from '@flotilla/proto';
import { Listeners } from '../host/listeners.ts';
import { SerialLoop } from '../host/serial-loop.ts';
import { askDaemon, type Silence } from './ask-daemon.ts';
import { type DaemonSight, deriveReport, describeEssence, readReport } from './member-report.ts';
import type { PairKeeper } from './pair-keeper.ts';
import { Readiness, type ServiceState } from './readiness.ts';

/** An order of the agent to the daemon. */
export type HaOrder =
  | { readonly order: 'announce' | 'clear' | 'start_alone' }
  | { readonly order: 'failover'; readonly force: boolean }
  | { readonly order: 'yield'; readonly hold_ms: number }
  | { readonly order: 'maintenance'; readonly enabled: boolean; readonly force: boolean };

export interface OrderProblem {
  readonly outcome: 'refused' | 'failed' | 'unknown';
  readonly code: string;
  readonly message: string;
}

export interface DaemonWatchOptions {
  readonly socket: string;
  readonly keeper: () => PairKeeper;
  readonly reports: () => readonly fleet.NodeReport[];
}

const POLL_MS = 500;
/** An older answer does not describe the current state. */
const STALE_MS = 3_000;
const REPORT_MS = 5_000;
const READY_MS = 2_000;
const ORDER_TIMEOUT_MS = 8_000;
/** A daemon that was just started needs time to open its socket. */
const START_GRACE_MS = 3_000;
const NOTHING_GIVEN = { states: '', at: Number.NEGATIVE_INFINITY };

/** Polls the daemon, reports to it which services are ready, and passes orders to it. */
export class DaemonWatch {
  readonly #options: DaemonWatchOptions;
  readonly #loop = new SerialLoop(() => this.#pass());
  readonly #reported = new Listeners<MemberReport>();
  readonly #rollouts = new Map<string, fleet.RolloutState>();
  readonly #readiness = new Readiness();
  #answer: MemberReport | undefined;
  #answeredAt = Number.NEGATIVE_INFINITY;
  #silence: Silence | undefined;
  #sent = { essence: '', at: Number.NEGATIVE_INFINITY };
  #given = NOTHING_GIVEN;

  constructor(options: DaemonWatchOptions) {
    this.#options = options;
  }

  onReport(listener: (report: MemberReport) => void): () => void {
    return this.#reported.add(listener);
  }

  /** Something may have changed that the daemon or the controller must know. */
  wake(): void {
    this.#loop.wake();
  }

  /** The next report is sent although it may be as the last one. */
  resend(): void {
    this.#sent = { essence: '', at: Number.NEGATIVE_INFINITY };
    this.#loop.wake();
  }

  noteRollout(serviceId: string, state: fleet.RolloutState): void {
    this.#rollouts.set(serviceId, state);
    this.#loop.wake();
  }

  forgetService(serviceId: string): void {
    this.#rollouts.delete(serviceId);
  }

  /** The newest answer of the daemon, if it is not old. */
  get freshAnswer(): MemberReport | undefined {
    return this.#ageMs <= STALE_MS && this.#silence?.kind !== 'absent' ? this.#answer : undefined;
  }

  /** Asks the daemon now. */
  async read(): Promise<MemberReport> {
    await this.#ask();
    return this.#derive();
  }

  /** Resolves with the report after the order. */
  async order(order: HaOrder): Promise<Result<MemberReport, OrderProblem>> {
    if (this.#keeper.config === undefined)
      return err({ outcome: 'refused', code: 'ha.unpaired', message: 'this host is in no pair' });
    const answer = await askDaemon(this.#options.socket, { order, timeoutMs: ORDER_TIMEOUT_MS });
    this.#loop.wake();
    if (!answer.ok) return err(describeSilence(answer.error));
    const { status, body } = answer.value;
    if (status === 409) return err({ outcome: 'refused', code: 'ha.refused', message: readReason(body) });
    if (status !== 200) return err({ outcome: 'failed', code: 'ha.failed', message: readReason(body) });
    this.#note(body);
    return ok(this.#derive());
  }

  close(): Promise<void> {
    return this.#loop.close();
  }

  get #keeper(): PairKeeper {
    return this.#options.keeper();
  }

  get #ageMs(): number {
    return performance.now() - this.#answeredAt;
  }

  async #pass(): Promise<number | undefined> {
    if (!this.#keeper.isBusy) {
      this.#answer = undefined;
      return undefined;
    }
    await this.#ask();
    this.#keeper.noticeAnswer();
    this.#report();
    await this.#tellReadiness();
    return POLL_MS;
  }

  async #ask(): Promise<void> {
    const answer = await askDaemon(this.#options.socket);
    if (answer.ok && answer.value.status === 200) this.#note(answer.value.body);
    else {
      this.#silence = answer.ok ? { kind: 'silent', message: `status ${answer.value.status}` } : answer.error;
      // A daemon that starts again knows nothing of the services.
      this.#given = NOTHING_GIVEN;
    }
  }

  #note(body: unknown): void {
    const report = readReport(body);
    this.#silence = report ? undefined : { kind: 'silent', message: 'the answer is no report' };
    if (!report) return;
    this.#answer = report;
    this.#answeredAt = performance.now();
  }

  #derive(): MemberReport {
    const { config, alarms } = this.#keeper;
    return deriveReport({ answer: this.#answer, daemon: this.#judge(), alarms, config });
  }

  #judge(): DaemonSight['daemon'] {
    if (this.#silence?.kind === 'absent') return 'absent';
    if (this.#ageMs > STALE_MS) return this.#silence ? 'stale' : 'absent';
    const isRefused = this.#answer?.alarms.some(({ code }) => code === 'config_refused');
    return isRefused || this.#keeper.isRefused ? 'misconfigured' : 'running';
  }

  #report(): void {
    const now = performance.now();
    const isStarting = this.#silence !== undefined && this.#keeper.startedMsAgo < START_GRACE_MS;
    if (isStarting && this.freshAnswer === undefined) return;
    const report = this.#derive();
    const essence = describeEssence(report);
    if (essence === this.#sent.essence && now - this.#sent.at < REPORT_MS) return;
    this.#sent = { essence, at: now };
    this.#reported.notify(report);
  }

  /** The daemon keeps the readiness that it knows, so that a lost order is only late. */
  async #tellReadiness(): Promise<void> {
    const { config, pair, services } = this.#keeper;
    const answer = this.freshAnswer;
    if (!config || !pair || !answer) return;
    const now = performance.now();
    const states = this.#readiness.derive({
      groups: groupServices(config, pair),
      desired: services,
      reports: this.#options.reports(),
      rollouts: this.#rollouts,
      isActive: answer.role === 'active' || answer.role === 'demoting',
      now,
    });
    if (!states) return;
    const text = JSON.stringify(states);
    if (text === this.#given.states && now - this.#given.at < READY_MS) return;
    const isTaken = await this.#tell(states);
    if (isTaken) this.#given = { states: text, at: now };
  }

  async #tell(services: readonly ServiceState[]): Promise<boolean> {
    const answer = await askDaemon(this.#options.socket, { order: { order: 'ready', services } });
    return answer.ok && answer.value.status === 200;
  }
}

/** By the service that the configuration names for an address: all services that have this address. */
function groupServices({ addresses }: HaConfig, pair: fleet.HaPair): ReadonlyMap<string, readonly string[]> {
  const groups = new Map<string, string[]>();
  for (const { address, service } of addresses) {
    if (!service) continue;
    const behind = pair.addresses.filter((one) => one.address === address && one.serviceId !== '');
    const group = groups.get(service.id) ?? [];
    groups.set(service.id, [...new Set([...group, ...behind.map(({ serviceId }) => serviceId)])]);
  }
  return groups;
}

function describeSilence({ kind, message }: Silence): OrderProblem {
  return kind === 'absent'
    ? { outcome: 'failed', code: 'ha.daemon_absent', message: `the daemon of this host does not run (${message})` }
    : { outcome: 'unknown', code: 'ha.no_answer', message: `the daemon of this host has not answered (${message})` };
}

/** The daemon's reason is a code such as `peer_not_ready`. */
function readReason(body: unknown): string {
  const given = typeof body === 'object' && body !== null ? (body as Record<string, unknown>) : {};
  return String(given.reason ?? given.message ?? 'no reason given').slice(0, 1024);
}
