import type { Logger } from '@flotilla/kit';
import { poll } from '../serial-loop.ts';
import type { ServiceSocket } from '../service-socket.ts';
import { callAdmin, readListenerPorts } from './admin-client.ts';
import { clearInitializing } from './base-id.ts';
import type { EnvoySet, StartOutcome } from './envoy-set.ts';
import type { DrainTimes, EnvoyInstance, EnvoySpec } from './instance.ts';
import type { MigrationSwitch } from './migration-switch.ts';

const PORTS_POLL_MS = 50;
const PORTS_WAIT_MS = 5_000;
/** A hot-restarted parent ends this much earlier by itself. */
const DRAIN_SLACK_MS = 5_000;

export interface EnvoyReplacementOptions {
  readonly set: EnvoySet;
  /** Key of the service, under which it holds the switch. */
  readonly serviceKey: string;
  readonly migration: Pick<MigrationSwitch, 'hold'>;
  readonly drain: DrainTimes;
  /** `auto`: hot restart if both have the same version of it, else side by side. */
  readonly replacement: 'auto' | 'beside';
  readonly logger: Logger;
  /** Aborts when the agent ends: leave everything to its successor. */
  readonly closing: AbortSignal;
}

/**
 * Puts one Envoy of a service in the place of another, so that no connection is refused.
 *
 * *Starting*: the new one runs, the old one is in charge and stays so when the new one does not become live. *Handed over*
 * once it is: by hot restart the child takes the listeners from its parent; side by side both listen on the same ports, and
 * the old one is asked to let go of them. The old one then *drains*: `EnvoySet.endDrained` ends what is left of it. An agent that is
 * killed in between leaves a starting Envoy behind, and its successor goes on with `takeOver`. Calls must not overlap.
 */
export class EnvoyReplacement {
  readonly #options: EnvoyReplacementOptions;

  constructor(options: EnvoyReplacementOptions) {
    this.#options = options;
  }

  /** Without a current Envoy, simply starts the new one. */
  async replace(spec: EnvoySpec, signal: AbortSignal, how: 'auto' | 'beside' = 'auto'): Promise<StartOutcome> {
    const { set } = this.#options;
    const old = set.serving;
    if (!old) return set.startFresh(spec, signal);
    // Hot restart supports only a parent and a child; a grandparent must have ended before
    const isOnlyChild = set.baseIds.filter((id) => id === old.baseId).length === 1;
    const isHot = how === 'auto' && this.#canHandOver(old, spec) && isOnlyChild;
    return this.takeOver(await set.launch(spec, 'starting', isHot ? old : undefined), signal);
  }

  /** True if a replacement must wait for an earlier one to end, so that connections can be handed over. */
  mustWait(spec: EnvoySpec): boolean {
    const { serving: old, draining } = this.#options.set;
    return old !== undefined && this.#canHandOver(old, spec) && draining.some((one) => one.baseId === old.baseId);
  }

  /** The second half of a replacement, also for one that an earlier agent began. */
  async takeOver(instance: EnvoyInstance, signal: AbortSignal): Promise<StartOutcome> {
    const { set, closing } = this.#options;
    const old = set.serving;
    const isHot = old !== undefined && instance.baseId === old.baseId;
    // A hot-restarting child takes over the listeners when it is live: ending it then would leave no Envoy
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
    // Parent and child find each other by the folder of their sockets
    if (!this.#options.set.hasSocketsHere(old)) return false;
    return old.spec.hotRestartVersion === spec.hotRestartVersion;
  }

  async #promote(instance: EnvoyInstance, old: EnvoyInstance): Promise<void> {
    const { set, drain } = this.#options;
    const slackMs = instance.baseId === old.baseId ? DRAIN_SLACK_MS : 0;
    await set.promote(instance, { old, drainMs: drain.shutdownS * 1000 + slackMs });
  }

  /**
   * A child that did not finish leaves a parent that serves on but has shut its admin endpoint for good and refuses further
   * children. It is made to accept one more, which runs the same bootstrap; else it can only be replaced side by side.
   */
  async #recoverParent(old: EnvoyInstance): Promise<void> {
    const { set, closing } = this.#options;
    if (!set.processOf(old)) return;
    const isHealable = await clearInitializing(old.baseId, set.adminOf(old).uid);
    const heir = isHealable ? await set.launch(old.spec, 'starting', old) : undefined;
    const outcome = heir ? await set.waitLive(heir, closing, old) : undefined;
    if (heir && outcome?.type === 'live') return this.#promote(heir, old);
    if (outcome?.type === 'interrupted') return;
    if (heir) await set.end(heir);
    await set.spendHandover(old);
  }

  /** Side by side both accept now: the old one begins to ask its clients to leave, then closes its listeners at once. */
  async #drainByHand(old: EnvoyInstance): Promise<void> {
    const { set, migration, serviceKey, logger } = this.#options;
    const admin = set.adminOf(old);
    await migration.hold(serviceKey);
    try {
      await callAdmin(admin, '/drain_listeners?graceful&skip_exit', { method: 'POST' });
      await callAdmin(admin, '/drain_listeners', { method: 'POST' });
    } catch (error) {
      logger.warn({ event: 'envoy.drain_failed', unit: old.unit, err: error }, 'ends without drain');
    }
  }
}

/** Waits until the new one listens on all ports of the old one, or until the deadline. */
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
