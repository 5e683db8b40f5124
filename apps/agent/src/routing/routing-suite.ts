import { join } from 'node:path';
import type { Logger } from '@flotilla/kit';
import {
  type BgpChange,
  type BgpDocument,
  checkDocument,
  editDocument,
  findWarnings,
  hidePasswords,
} from '@flotilla/proto/routing';
import { RoutingAnswers } from './answers.ts';
import { type ChangeRequest, type ChangeResult, RoutingChanges } from './changes.ts';
import { ConfigEngine } from './config-engine.ts';
import { showChanges } from './describe-change.ts';
import type { RoutingPaths } from './frr-paths.ts';
import { RoutingStore } from './routing-store.ts';
import { RoutingError, Vtysh } from './vtysh.ts';

export interface RoutingSuiteOptions {
  readonly paths: RoutingPaths;
  readonly dataDir: string;
  readonly logger: Logger;
  /** Only tests set this. */
  readonly onStep?: (step: string) => Promise<void> | void;
}

/** FRR on this host, as the ROUTING commands see it. */
export class RoutingSuite {
  readonly changes: RoutingChanges;
  readonly answers: RoutingAnswers;
  readonly #store: RoutingStore;

  private constructor(parts: { changes: RoutingChanges; answers: RoutingAnswers; store: RoutingStore }) {
    this.changes = parts.changes;
    this.answers = parts.answers;
    this.#store = parts.store;
  }

  static async open({ paths, dataDir, onStep }: RoutingSuiteOptions): Promise<RoutingSuite> {
    const store = await RoutingStore.open(join(dataDir, 'routing'));
    const lockFile = join(store.dir, 'lock');
    const vtysh = new Vtysh({ program: paths.vtysh, socketDir: paths.socketDir, lockFile });
    const engine = new ConfigEngine({ vtysh, dir: store.dir, configFile: paths.configFile, onStep });
    return new RoutingSuite({
      store,
      changes: new RoutingChanges({ vtysh, engine, store }),
      answers: new RoutingAnswers(vtysh),
    });
  }

  get document(): BgpDocument | null {
    return this.#store.current.document;
  }

  apply(request: ChangeRequest): Promise<ChangeResult> {
    return this.changes.apply(request);
  }

  /** The newest document, without passwords, and where FRR differs from it. */
  config() {
    return this.changes.exclusively(async () => {
      const { revision, document, at } = this.#store.current;
      const { changes: drift, changes_total: drift_total } = showChanges(await this.changes.findDrift());
      return {
        revision,
        changed_at: revision === 0 ? null : at,
        config: document && hidePasswords(document),
        in_sync: drift_total === 0,
        drift,
        drift_total,
        health_routes: (document?.health_routes ?? []).map((route) => ({
          ...route,
          is_announced: this.changes.isAnnounced(route.prefix),
        })),
        warnings: document ? findWarnings(document) : [],
        revisions: this.#store.revisions.map((one) => ({ revision: one.revision, at: one.at })).toReversed(),
      };
    });
  }

  /** Finds what BGP_SET_CONFIG with this body would change. */
  diff(change: Extract<BgpChange, { operation: 'BGP_SET_CONFIG' }>) {
    return this.changes.exclusively(async () => {
      const { revision, document } = this.#store.current;
      const edited = editDocument(document, change);
      const next = edited.ok ? edited.document : null;
      const [problem] = next ? checkDocument(next) : [];
      if (problem) throw new RoutingError('routing.invalid', `${problem.path.join('.')}: ${problem.message}`);
      const plan = await this.changes.plan(next, { replaces: change.replace === true });
      return { revision, ...showChanges(plan.changes), warnings: next ? findWarnings(next) : [] };
    });
  }
}
