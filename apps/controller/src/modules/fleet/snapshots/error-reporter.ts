import type { Db } from '@flotilla/db';
import type { Logger } from '@flotilla/kit';
import { COLLECTION_TYPE, parseDocumentKey, type TranslationError } from '@flotilla/translate';
import { findClientName } from '../clients/index.ts';
import { recordComplaints, toTranslationCode } from '../config-errors/index.ts';
import { type ConfiguredNode, nodeIdOf } from './node-input.ts';

/**
 * Stores translation errors as configuration errors of the node and resolves the others. Writes only if something
 * changed since the last write, because most translations have no errors.
 */
export class ErrorReporter {
  readonly #deps: { db: Db; logger: Logger };
  readonly #written = new Map<string, string>();
  readonly #waiting = new Map<string, { node: ConfiguredNode; errors: readonly TranslationError[] }>();
  #running: Promise<void> | undefined;

  constructor(deps: { db: Db; logger: Logger }) {
    this.#deps = deps;
  }

  /** Returns at once; of several waiting reports of a node, only the newest is written. */
  report(node: ConfiguredNode, errors: readonly TranslationError[]): void {
    const id = nodeIdOf(node);
    if (this.#written.get(id) === signatureOf(errors) && !this.#waiting.has(id)) return;
    this.#waiting.set(id, { node, errors });
    this.#running ??= this.#drain().finally(() => {
      this.#running = undefined;
    });
  }

  forget(nodeId: string): void {
    this.#written.delete(nodeId);
    this.#waiting.delete(nodeId);
  }

  async close(): Promise<void> {
    await this.#running;
  }

  async #drain(): Promise<void> {
    for (;;) {
      const next = this.#waiting.entries().next().value;
      if (!next) return;
      const [id, { node, errors }] = next;
      this.#waiting.delete(id);
      try {
        await this.#write(node, errors);
        this.#written.set(id, signatureOf(errors));
      } catch (error) {
        // The next translation of the node reports again.
        this.#deps.logger.warn({ err: error, node: id }, 'snapshots.report_failed');
      }
    }
  }

  async #write(node: ConfiguredNode, errors: readonly TranslationError[]): Promise<void> {
    const scope = {
      projectId: node.projectId,
      serviceId: node.serviceId,
      clientId: node.client.id,
      nodeId: nodeIdOf(node),
      source: 'translation' as const,
    };
    const { db } = this.#deps;
    const client = errors.some(({ rule }) => rule === 'address.missing')
      ? await findClientName(db, node.client.id)
      : undefined;
    const complaints = errors.map(({ document, path, rule, message }) => {
      const key = parseDocumentKey(document);
      return {
        code: toTranslationCode(rule),
        resourceType: (key && COLLECTION_TYPE[key.collection]) ?? key?.collection ?? '',
        resourceName: key?.name ?? document,
        severity: 'error' as const,
        message:
          rule === 'address.missing' && key && client !== undefined
            ? describeMissingAddress(key.name, client)
            : `${document}${path ? ` at ${path}` : ''}: ${message}`,
        rawMessage: `${path}: ${message}`,
      };
    });
    await db.transaction().execute((tx) => recordComplaints(tx, scope, { complaints, now: new Date() }));
  }
}

/** Names the object to change, which is not the listener. */
function describeMissingAddress(listener: string, client: string): string {
  return `Listener "${listener}" binds to "@client", but ${client} has no IP address for this service. Add one to the client in the service`;
}

function signatureOf(errors: readonly TranslationError[]): string {
  return JSON.stringify(errors);
}
