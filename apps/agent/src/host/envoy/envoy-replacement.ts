import type { Logger } from '@flotilla/kit';
import { poll } from '../serial-loop.ts';
import type { ServiceSocket } from '../service-socket.ts';
import { callAdmin, readListenerPorts } from './admin-client.ts';
import { clearInitializing } from './base-id.ts';
import { ENVOY_DRAIN } from './drain-times.ts';
import type { EnvoySet, StartOutcome } from './envoy-set.ts';
import type { EnvoyInstance, EnvoySpec } from './instance.ts';
import type { MigrationSwitch } from './migration-switch.ts';

const PORTS_POLL_MS = 50;
const PORTS_WAIT_MS = 5_000;
/** A hot-restarted parent ends on its own, so its deadline is this much later. */
const DRAIN_SLACK_MS = 5_000;
/** A replacement does not wait longer than this for an earlier one, and runs side by side instead. */
const DRAIN_WAIT_MAX_MS = ENVOY_DRAIN.shutdownS * 1000 + DRAIN_SLACK_MS;

export interface EnvoyReplacementOptions {
  readonly set: EnvoySet;
  /** Key of the service, with which it holds the migration switch. */
  readonly serviceKey: string;
  readonly migration: Pick<MigrationSwitch, 'hold'>;
  /** `auto` uses hot restart if both Envoys have the same version of it, and otherwise runs them side by side. */
  readonly replacement: 'auto' | 'beside';
  readonly logger: Logger;
  /** Aborts when the agent ends. The next agent continues. */
  readonly closing: AbortSignal;
}

/**
 * Replaces one Envoy of a service by another without refusing connections.
 *
 * *Starting*: the new Envoy has been started, and the old one is in charge. If the new one does not become live, the old one stays.
 * *Handed over*: the new Envoy is live and in charge. With hot restart, the child takes the listeners from its parent. Side by
 * side, both listen on the same ports, and the old one is asked to close its listeners.
 * *Draining*: the old Envoy finishes its connections until `EnvoySet.endDrained` ends it.
 *
 * If the agent is killed in between, the next agent continues with `takeOver` of the starting Envoy. Calls must not overlap.
 */
export class EnvoyReplacement {
  readonly #options: EnvoyReplacementOptions;

  constructor(options: EnvoyReplacementOptions) {
    this.#options = options;
  }

  /** Starts a new Envoy and lets it take over from the current one, if there is one. */
  async replace(spec: EnvoySpec, signal: AbortSignal, how: 'auto' | 'beside' = 'auto'): Promise<StartOutcome> {
    const { set } = this.#options;
    const old = set.serving;
    if (!old) return set.startFresh(spec, signal);
    // Hot restart supports only a parent and a child, so a grandparent must have ended.
    const isOnlyChild = set.baseIds.filter((id) => id === old.baseId).length === 1;
    const isHot = how === 'auto' && this.#canHandOver(old, spec) && isOnlyChild;
    return this.takeOver(await set.launch(spec, 'starting', isHot ? old : undefined), signal);
  }

  /** Returns true if a hot restart must wait until the Envoy of an earlier one has drained. */
  mustWait(spec: EnvoySpec): boolean {
    const { set } = this.#options;
    const old = set.serving;
    if (old === undefined || !this.#canHandOver(old, spec)) return false;
    const leftMs = set.drainLeftMs(old.baseId);
    return leftMs > 0 && leftMs <= DRAIN_WAIT_MAX_MS;
  }

  /** Completes a replacement, including one that an earlier agent began. */
  async takeOver(instance: EnvoyInstance, signal: AbortSignal): Promise<StartOutcome> {
    const { set, closing } = this.#options;
    const old = set.serving;
    const isHot = old !== undefined && instance.baseId === old.baseId;
    // A live hot-restart child has taken over the listeners, so the wait must not be interrupted and the child ended.
    const outcome = await set.waitLive(instance, isHot ? closing : signal, old);
    if (outcome.type === 'interrupted' && closing.aborted) return outcome;
    if (outcome.type !== 'live') {
      await set.end(instance);
      if (isHot) await this.#recoverParent(old);
      return outcome.type === 'slow' ? { type: 'failed', reason: outcome.reason } : outcome;
    }
    if (!old) {
      await set.promote(instance);
      return outcome;
    }
    if (!isHot) await waitPorts(set.adminOf(instance), set.adminOf(old), signal);
    await this.#promote(instance, old);
    if (!isHot) await this.#drainByHand(old);
    return outcome;
  }

  #canHandOver(old: EnvoyInstance, spec: EnvoySpec): boolean {
    if (this.#options.replacement === 'beside' || old.handoverSpent) return false;
    // Parent and child find each other through the folder of their sockets.
    if (!this.#options.set.hasSocketsHere(old)) return false;
    return old.spec.hotRestartVersion === spec.hotRestartVersion;
  }

  async #promote(instance: EnvoyInstance, old: EnvoyInstance): Promise<void> {
    const { drain = ENVOY_DRAIN } = instance;
    const slackMs = instance.baseId === old.baseId ? DRAIN_SLACK_MS : 0;
    await this.#options.set.promote(instance, { old, drainMs: drain.shutdownS * 1000 + slackMs });
  }

  /**
   * Starts another child with the same bootstrap after a child has failed. The parent still serves, but has closed its admin
   * endpoint permanently and refuses further children unless its flag is cleared. If this fails, the parent can only be
   * replaced side by side.
   */
  async #recoverParent(old: EnvoyInstance): Promise<void> {
    const { set, closing } = this.#options;
    if (!set.processOf(old)) return;
    const isCleared = await clearInitializing(old.baseId, set.adminOf(old).uid);
    const child = isCleared ? await set.launch(old.spec, 'starting', old) : undefined;
    const outcome = child ? await set.waitLive(child, closing, old) : undefined;
    if (child && outcome?.type === 'live') return this.#promote(child, old);
    if (outcome?.type === 'interrupted') return;
    if (child) await set.end(child);
    await set.spendHandover(old);
  }

  /** Asks the clients of the old Envoy to leave, and closes its listeners at once. Both Envoys accept connections before. */
  async #drainByHand(old: EnvoyInstance): Promise<void> {
    const { set, migration, serviceKey, logger } = this.#options;
    const admin = set.adminOf(old);
    await migration.hold(serviceKey);
    try {
      await callAdmin(admin, '/drain_listeners?graceful&skip_exit', { method: 'POST' });
      await callAdmin(admin, '/drain_listeners', { method: 'POST' });
    } catch (error) {
      logger.warn(
        { event: 'envoy.drain_failed', unit: old.unit, err: error },
        'cannot drain the replaced Envoy; its connections are closed at its deadline',
      );
    }
  }
}

/** Waits until the new Envoy listens on all ports of the old one, or until the deadline. */
async function waitPorts(next: ServiceSocket, old: ServiceSocket, signal: AbortSignal): Promise<void> {
  const expected = await readListenerPorts(old);
  await poll(
    async () => {
      const ports = new Set(await readListenerPorts(next));
      return expected.every((port) => ports.has(port)) ? true : undefined;
    },
    { ms: PORTS_WAIT_MS, everyMs: PORTS_POLL_MS, signal },
  );
}
