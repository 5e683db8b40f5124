import { SerialQueue } from '@flotilla/kit';
import {
  type BgpChange,
  type BgpDocument,
  type ConfigLine,
  checkDocument,
  editDocument,
  findWarnings,
  parsePrefix,
  renderDocument,
} from '@flotilla/proto/routing';
import type { ConfigEngine } from './config-engine.ts';
import { diffLines, keyOf, type LineChange, objectsOf, pickObjects } from './config-text.ts';
import { describeLine, type ShownChange, showChanges } from './describe-change.ts';
import type { Intent, RoutingStore } from './routing-store.ts';
import { RoutingError, type Vtysh } from './vtysh.ts';

export interface ChangeRequest {
  readonly change: BgpChange;
  readonly commandId: string;
  readonly onStep: (step: string, text: string) => void;
}

export interface ChangeResult {
  readonly revision: number;
  /** requested: the host has what the command asked for. previous: it has what it had before. */
  readonly state: 'requested' | 'previous';
  readonly changes: readonly ShownChange[];
  readonly changes_total: number;
  readonly warnings: readonly string[];
}

/** Describes how a document changes the host. */
export interface Plan {
  readonly objects: ReadonlySet<string>;
  readonly before: readonly ConfigLine[];
  readonly target: readonly ConfigLine[];
  readonly changes: readonly LineChange[];
}

const NONE: ReadonlySet<string> = new Set();

export interface RoutingChangesOptions {
  readonly vtysh: Vtysh;
  readonly engine: ConfigEngine;
  readonly store: RoutingStore;
}

/**
 * Changes the BGP configuration of the host, completely or not at all.
 *
 * quiet     no intent is on disk. FRR has the newest revision.
 * changing  the intent is on disk, with the lines that the change replaces. FRR may have any mixture of both.
 * changed   the new revision is on disk, and the intent still is. FRR has the new revision.
 *
 * `recover` leads from each state to `quiet`: it restores the lines of an intent without a revision, and deletes an intent
 * with one. It runs before everything else, so nobody sees a mixture after an agent was killed.
 */
export class RoutingChanges {
  readonly #options: RoutingChangesOptions;
  readonly #queue = new SerialQueue();
  /** Networks of health routes that FRR announces. Undefined until FRR was asked. */
  #announced: ReadonlySet<string> | undefined;

  constructor(options: RoutingChangesOptions) {
    this.#options = options;
  }

  get needsRecovery(): boolean {
    return this.#options.store.intent !== undefined;
  }

  /** Restores the previous configuration if a change was interrupted. Throws if FRR does not answer. */
  recover(): Promise<void> {
    return this.#queue.run(() => this.#recover());
  }

  /** Runs when no change runs. */
  exclusively<T>(work: () => Promise<T>): Promise<T> {
    return this.#queue.run(async () => {
      await this.#recover();
      this.#announced ??= await this.#findAnnounced();
      return work();
    });
  }

  apply(request: ChangeRequest): Promise<ChangeResult> {
    return this.exclusively(() => this.#apply(request));
  }

  async #recover(): Promise<void> {
    const { store, engine, vtysh } = this.#options;
    const { intent } = store;
    if (!intent) return;
    await vtysh.waitForOthers();
    if (!store.find(intent.commandId)) await this.#restore(intent);
    await store.end();
    await engine.step('recovered');
  }

  async #restore({ objects, before }: Intent): Promise<void> {
    const { engine } = this.#options;
    const left = await engine.bring(new Set(objects), before);
    if (left[0]) {
      throw new RoutingError('routing.not_restored', `FRR did not take back: ${describeLine(left[0].line)}`);
    }
    await this.#persist(this.#options.store.current.document);
  }

  async #apply({ change, commandId, onStep }: ChangeRequest): Promise<ChangeResult> {
    const { store, engine } = this.#options;
    const known = store.find(commandId);
    if (known) return toResult(known.revision, 'requested', [], known.document);
    const { current } = store;
    const { expected_revision: expected } = change;
    if (expected !== undefined && expected !== current.revision) {
      const message = `the host has revision ${current.revision}, not ${expected}; read the configuration again`;
      throw new RoutingError('routing.changed', message);
    }
    const next = this.#derive(change);
    const plan = await this.plan(next, { replaces: change.operation === 'BGP_SET_CONFIG' && change.replace === true });
    await store.begin({ commandId, objects: [...plan.objects], before: plan.before });
    await engine.step('intent');
    onStep('applying', `${plan.changes.length} lines change`);
    const left = await engine.bring(plan.objects, plan.target);
    if (left[0]) return this.#giveUp(left);
    await this.#resetSessions(plan.changes, next);
    await this.#persist(next);
    const { revision } = await store.commit(next, commandId);
    const routes = next?.health_routes.map(({ prefix }) => prefix) ?? [];
    this.#announced = new Set(routes.filter((prefix) => this.isAnnounced(prefix)));
    await engine.step('committed');
    await store.end();
    return toResult(revision, 'requested', plan.changes, next);
  }

  async #giveUp(left: readonly LineChange[]): Promise<never> {
    const { store } = this.#options;
    const { intent, current } = store;
    if (intent) await this.#restore(intent);
    await store.end();
    const [first] = left;
    const what = first
      ? `${first.kind === 'add' ? 'did not take' : 'did not remove'}: ${describeLine(first.line)}`
      : '';
    throw new RoutingError(
      'routing.not_accepted',
      `FRR ${what}. The host has its previous configuration (revision ${current.revision}).`,
    );
  }

  #derive(change: BgpChange): BgpDocument | null {
    const edited = editDocument(this.#options.store.current.document, change);
    if (!edited.ok) throw new RoutingError(edited.error.code, edited.error.message);
    const [problem] = edited.document ? checkDocument(edited.document) : [];
    if (problem) throw new RoutingError('routing.invalid', `${problem.path.join('.')}: ${problem.message}`);
    return edited.document;
  }

  /** Finds what a document would change. The caller is in the queue. */
  async plan(document: BgpDocument | null, { replaces }: { replaces: boolean }): Promise<Plan> {
    const { engine } = this.#options;
    await this.#requireDaemons(document);
    const running = await engine.read();
    await engine.requireSupported(running);
    const target = document ? renderDocument(document, this.#announced ?? NONE) : [];
    const managed = objectsOf(this.#currentLines());
    const wanted = objectsOf(target);
    const foreign = [...objectsOf(running)].filter((object) => wanted.has(object) && !managed.has(object));
    if (foreign.length > 0 && !replaces) {
      const message = `the host already has ${foreign.join(', ')}, which Flotilla did not create; send replace: true to replace it`;
      throw new RoutingError('routing.unmanaged', message);
    }
    const objects = new Set([...managed, ...wanted]);
    const before = pickObjects(running, objects);
    return { objects, before, target, changes: diffLines(before, target) };
  }

  /** Finds where FRR differs from the newest revision, because somebody changed it on the host. */
  async findDrift(): Promise<LineChange[]> {
    const lines = this.#currentLines();
    if (lines.length === 0) return [];
    return diffLines(lines, pickObjects(await this.#options.engine.read(), objectsOf(lines)));
  }

  #currentLines(): ConfigLine[] {
    const { document } = this.#options.store.current;
    return document ? renderDocument(document, this.#announced ?? NONE) : [];
  }

  async #requireDaemons(document: BgpDocument | null): Promise<void> {
    const { vtysh } = this.#options;
    const needsBfd =
      document !== null && [...document.neighbors, ...document.peer_groups].some(({ bfd }) => bfd === true);
    for (const daemon of ['zebra', 'bgpd', ...(needsBfd ? (['bfdd'] as const) : [])] as const) {
      if (await vtysh.isRunning(daemon)) continue;
      const message = `FRR's ${daemon} does not run; set ${daemon}=yes in /etc/frr/daemons and restart the service frr`;
      throw new RoutingError('routing.not_running', message);
    }
  }

  /** FRR applies the modes of graceful restart to new sessions only. */
  async #resetSessions(changes: readonly LineChange[], document: BgpDocument | null): Promise<void> {
    if (!document) return;
    const restarts = changes.map(({ line }) => line.at(-1) ?? '').filter((text) => text.includes('graceful-restart'));
    if (restarts.length === 0) return;
    const isGlobal = restarts.some((text) => text.startsWith('bgp '));
    const named = new Set(restarts.map((text) => text.split(' ')[1]));
    const peers = document.neighbors.filter(
      ({ peer_ip, peer_group }) =>
        isGlobal || named.has(peer_ip) || (peer_group !== undefined && named.has(peer_group)),
    );
    for (const { peer_ip } of peers) await this.#options.vtysh.command(`clear bgp ${peer_ip}`);
    await this.#options.engine.step('sessions reset');
  }

  /** The file of FRR announces no health route: after a start of the host, nobody has checked the service yet. */
  async #persist(document: BgpDocument | null): Promise<void> {
    const left = new Set(document?.health_routes.map(({ prefix }) => `network ${prefix}`));
    await this.#options.engine.persist((line) => left.has(line));
  }

  /** The networks of health routes that FRR announces. */
  announced(): Promise<ReadonlySet<string>> {
    return this.exclusively(() => Promise.resolve(this.#announced ?? NONE));
  }

  isAnnounced(prefix: string): boolean {
    return this.#announced?.has(prefix) === true;
  }

  async #findAnnounced(): Promise<ReadonlySet<string>> {
    const { document } = this.#options.store.current;
    if (!document || document.health_routes.length === 0) return NONE;
    const running = new Set((await this.#options.engine.read()).map(keyOf));
    return new Set(listHealthLines(document).flatMap(({ prefix, line }) => (running.has(keyOf(line)) ? [prefix] : [])));
  }

  /** Announces exactly these networks of the health routes. */
  announce(networks: ReadonlySet<string>): Promise<void> {
    return this.exclusively(async () => {
      const { store, engine } = this.#options;
      const { document } = store.current;
      if (!document) return;
      const lines = listHealthLines(document);
      const running = new Set((await engine.read()).map(keyOf));
      const wanted = lines.filter(({ prefix }) => networks.has(prefix));
      await engine.run(
        diffLines(
          lines.map(({ line }) => line).filter((line) => running.has(keyOf(line))),
          wanted.map(({ line }) => line),
        ),
      );
      this.#announced = new Set(wanted.map(({ prefix }) => prefix));
    });
  }
}

/** The line that announces each health route. */
function listHealthLines(document: BgpDocument): Array<{ readonly prefix: string; readonly line: ConfigLine }> {
  const at = `router bgp ${document.autonomous_system}`;
  return document.health_routes.map(({ prefix }) => {
    const family = parsePrefix(prefix)?.family ?? 'ipv4';
    return { prefix, line: [at, `address-family ${family} unicast`, `network ${prefix}`] };
  });
}

function toResult(
  revision: number,
  state: ChangeResult['state'],
  changes: readonly LineChange[],
  document: BgpDocument | null,
): ChangeResult {
  return { revision, state, ...showChanges(changes), warnings: document ? findWarnings(document) : [] };
}
