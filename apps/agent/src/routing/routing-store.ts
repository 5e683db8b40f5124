import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolder, readFileIfThere, writeFileAtomically } from '@flotilla/kit';
import type { BgpDocument, ConfigLine } from '@flotilla/proto/routing';

/** A configuration that the host had. */
export interface Revision {
  readonly revision: number;
  /** Null: Flotilla did not configure BGP. */
  readonly document: BgpDocument | null;
  readonly commandId: string;
  readonly at: string;
}

/** A change that has begun. While it exists, FRR's configuration may be in between. */
export interface Intent {
  readonly commandId: string;
  /** The objects that the change replaces, and their lines before it. */
  readonly objects: readonly string[];
  readonly before: readonly ConfigLine[];
}

const REVISIONS_MAX = 20;
const NOTHING: Revision = { revision: 0, document: null, commandId: '', at: new Date(0).toISOString() };

/** The documents of this host, on disk. Their passwords are only for the agent. */
export class RoutingStore {
  readonly dir: string;
  #revisions: readonly Revision[] = [];
  #intent: Intent | undefined;

  private constructor(dir: string) {
    this.dir = dir;
  }

  static async open(dir: string): Promise<RoutingStore> {
    await makeFolder(dir, 0o700);
    const store = new RoutingStore(dir);
    const [revisions, intent] = await Promise.all([
      readFileIfThere(store.#path('revisions.json')),
      readFileIfThere(store.#path('intent.json')),
    ]);
    if (revisions) store.#revisions = JSON.parse(revisions.toString('utf8')) as Revision[];
    if (intent) store.#intent = JSON.parse(intent.toString('utf8')) as Intent;
    return store;
  }

  get current(): Revision {
    return this.#revisions.at(-1) ?? NOTHING;
  }

  /** Oldest first. */
  get revisions(): readonly Revision[] {
    return this.#revisions;
  }

  get intent(): Intent | undefined {
    return this.#intent;
  }

  find(commandId: string): Revision | undefined {
    return this.#revisions.find((one) => one.commandId === commandId);
  }

  async begin(intent: Intent): Promise<void> {
    await writeFileAtomically(this.#path('intent.json'), JSON.stringify(intent));
    this.#intent = intent;
  }

  /** From here on, the change has happened. */
  async commit(document: BgpDocument | null, commandId: string): Promise<Revision> {
    const revision = { revision: this.current.revision + 1, document, commandId, at: new Date().toISOString() };
    const revisions = [...this.#revisions, revision].slice(-REVISIONS_MAX);
    await writeFileAtomically(this.#path('revisions.json'), JSON.stringify(revisions));
    this.#revisions = revisions;
    return revision;
  }

  async end(): Promise<void> {
    await rm(this.#path('intent.json'), { force: true });
    this.#intent = undefined;
  }

  #path(name: string): string {
    return join(this.dir, name);
  }
}
