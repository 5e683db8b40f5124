import { createHash } from 'node:crypto';
import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import type { Db } from '@flotilla/db';
import { Batches, type Logger, type Result } from '@flotilla/kit';
import { fleet, formatNodeId } from '@flotilla/proto';
import type { Cipher } from '../../../platform/keyring/cipher.ts';
import type { Configuration } from '../../configuration/public.ts';
import { recordComplaints } from '../config-errors/index.ts';
import { listServiceNodes, type ServiceNode, serviceContentContext } from '../services/index.ts';
import {
  type DesiredKey,
  findDesiredKeys,
  nextGeneration,
  raiseRevision,
  readStoredContents,
  type StoredContent,
  storeContent,
} from './desired-store.ts';
import type { PairsPort } from './pairs-port.ts';

/** Why a part of a node cannot be built. */
export interface ContentProblem {
  /** Full message name or `policy`. */
  readonly resourceType: string;
  readonly resourceName: string;
  readonly message: string;
}

/** The content of a node besides its xDS resources. Pure functions of documents and node. */
export interface NodeContents {
  bootstrapFor(
    node: ServiceNode,
  ): Promise<Result<{ bootstrapJson: Uint8Array; listenerPorts: readonly number[] }, readonly ContentProblem[]>>;
  /** undefined: the service has no policies, so it needs no filter. */
  policyBundleFor(node: ServiceNode): Promise<Result<fleet.PolicyBundle | undefined, readonly ContentProblem[]>>;
}

export interface DesiredStateDeps {
  readonly db: Db;
  readonly logger: Logger;
  readonly contents: NodeContents;
  readonly archive: Pick<Configuration['archive'], 'offer'>;
  readonly pairs: Pick<PairsPort, 'desiredFor'>;
  readonly cipher: Cipher;
  /** Fails the commands that wait for a service that cannot be built. */
  readonly failDesired: (
    key: { clientId: string; serviceId: string },
    failure: { reason: string; isKept: boolean; now: Date },
  ) => Promise<void>;
}

/** Clients per statement. */
const KEYS_MAX = 500;

/**
 * Derives what a client should run from its services. If a node's content has changed since it was last sent without a
 * new generation (an edited policy or bootstrap), the node gets the next generation and the client's revision grows. A
 * node that cannot be built keeps its last content, with a configuration error; leaving it out would remove it from the
 * host.
 */
export class DesiredStates {
  readonly #deps: DesiredStateDeps;
  /** Many streams open at once after a controller has started. */
  readonly #keys: Batches<string, DesiredKey | undefined>;

  constructor(deps: DesiredStateDeps) {
    this.#deps = deps;
    this.#keys = new Batches({
      max: KEYS_MAX,
      run: async (clientIds) => {
        const found = await findDesiredKeys(deps.db, clientIds);
        return clientIds.map((id) => found.get(id));
      },
    });
  }

  async desiredStateFor(clientId: string, now: Date): Promise<fleet.DesiredState> {
    const { db } = this.#deps;
    // Read before the services: if they change in between, the next revision is announced and read again.
    const key = await this.#keys.add(clientId);
    if (key === undefined) return create(fleet.DesiredStateSchema, {});
    const { revision: known, arch } = key;
    const member = await this.#deps.pairs.desiredFor(clientId);
    const ha = member && { ha: member.pair };
    let hasNewContent = member?.isNew === true;
    if (!key.hasServices) {
      const revision = hasNewContent ? await raiseRevision(db, clientId, known) : known;
      return create(fleet.DesiredStateSchema, { revision: BigInt(revision), ...ha });
    }
    const nodes = await listServiceNodes(db, { clientId });
    const stored = await readStoredContents(db, clientId);
    const services: fleet.DesiredService[] = [];
    for (const node of nodes) {
      const made = await this.#makeService(node, stored.get(node.serviceId), now);
      // Not part of the stored content: another list of releases is no change of the service.
      const envoyOffer = made && (await this.#findOffer(node.envoyVersion, arch));
      if (made) services.push({ ...made.service, ...(envoyOffer && { envoyOffer }) });
      hasNewContent ||= made?.isNewContent === true;
    }
    const revision = hasNewContent ? await raiseRevision(db, clientId, known) : known;
    return create(fleet.DesiredStateSchema, { revision: BigInt(revision), services, ...ha });
  }

  async #findOffer(version: string, arch: string): Promise<fleet.ArchiveOffer | undefined> {
    const offer = await this.#deps.archive.offer({ kind: 'envoy', version, arch });
    return offer && create(fleet.ArchiveOfferSchema, offer.ok ? offer.value : { missing: offer.error });
  }

  async #makeService(
    node: ServiceNode,
    stored: StoredContent | undefined,
    now: Date,
  ): Promise<{ service: fleet.DesiredService; isNewContent: boolean } | undefined> {
    const { contents } = this.#deps;
    const bootstrap = await contents.bootstrapFor(node);
    const bundle = await contents.policyBundleFor(node);
    const problems = [...(bootstrap.ok ? [] : bootstrap.error), ...(bundle.ok ? [] : bundle.error)];
    const before = stored?.sealed ? this.#open(node, stored.sealed) : undefined;
    if (problems.length > 0 || stored?.hasProblems) await this.#recordProblems(node, problems, now);
    if (problems.length > 0) {
      const reason = problems.map(({ resourceName, message }) => `${resourceName}: ${message}`).join('; ');
      await this.#deps.failDesired(
        { clientId: node.client.id, serviceId: node.serviceId },
        { reason, isKept: !!before, now },
      );
    }
    const bootstrapJson = bootstrap.ok ? bootstrap.value.bootstrapJson : before?.bootstrapJson;
    if (bootstrapJson === undefined) return undefined;
    const policyBundle = bundle.ok ? bundle.value : before?.shield?.bundle;
    // A filter without its policies would allow everything or nothing, and the controller must not choose either.
    if (!bundle.ok && !policyBundle) return undefined;
    const service = create(fleet.DesiredServiceSchema, {
      serviceId: node.serviceId,
      name: node.name,
      projectId: node.projectId,
      nodeId: formatNodeId({ service: node.name, project: node.projectId, clientId: node.client.id }),
      generation: BigInt(node.generation),
      envoyVersion: node.envoyVersion,
      drainTimeS: node.drainTimeS ?? 0,
      bootstrapJson,
      adminPort: node.adminPort,
      runState: node.runState === 'stopped' ? fleet.RunState.STOPPED : fleet.RunState.RUNNING,
      listenerPorts: [...(bootstrap.ok ? bootstrap.value.listenerPorts : (before?.listenerPorts ?? []))],
      ...(policyBundle && {
        shield: { threads: node.shield.threads, xffTrustedHops: node.shield.xffTrustedHops, bundle: policyBundle },
      }),
    });
    const bytes = Buffer.from(toBinary(fleet.DesiredServiceSchema, { ...service, generation: 0n }));
    const digest = createHash('sha256').update(bytes).digest('hex');
    if (stored?.digest === digest && stored.generation === node.generation) return { service, isNewContent: false };
    const isNewContent = stored?.digest !== digest;
    const generation = await this.#store(node, { digest, bytes, stored, isNewContent });
    return { service: { ...service, generation: BigInt(generation) }, isNewContent };
  }

  /** Stores the content and returns the generation to send with it. */
  async #store(
    node: ServiceNode,
    made: { digest: string; bytes: Buffer; stored: StoredContent | undefined; isNewContent: boolean },
  ): Promise<number> {
    const { db, cipher } = this.#deps;
    // The current generation was already sent with other content, so this content needs a new one.
    const needsOwn = made.isNewContent && made.stored?.generation === node.generation;
    const generation = needsOwn ? await nextGeneration(db) : node.generation;
    const isStored = await storeContent(db, node, {
      digest: made.digest,
      generation,
      sealed: made.isNewContent
        ? cipher.encrypt(made.bytes, serviceContentContext(node.serviceId, node.client.id))
        : undefined,
    });
    // Never sent with a generation above that of the concurrent change.
    return isStored ? generation : node.generation;
  }

  async #recordProblems(node: ServiceNode, problems: readonly ContentProblem[], now: Date): Promise<void> {
    const nodeId = formatNodeId({ service: node.name, project: node.projectId, clientId: node.client.id });
    const { serviceId, projectId } = node;
    await this.#deps.db.transaction().execute((tx) =>
      recordComplaints(
        tx,
        { projectId, serviceId, clientId: node.client.id, nodeId, source: 'content' },
        {
          complaints: problems.map(({ resourceType, resourceName, message }) => ({
            code: 'content.failed' as const,
            resourceType,
            resourceName,
            severity: 'error' as const,
            message: `${resourceName} cannot be made for this client, what it was sent before stays: ${message}`,
            rawMessage: message,
          })),
          now,
        },
      ),
    );
  }

  #open(node: ServiceNode, sealed: Buffer): fleet.DesiredService | undefined {
    try {
      return fromBinary(
        fleet.DesiredServiceSchema,
        this.#deps.cipher.decrypt(sealed, serviceContentContext(node.serviceId, node.client.id)),
      );
    } catch (error) {
      this.#deps.logger.error(
        { err: error, service_id: node.serviceId, client_id: node.client.id },
        'desired.unreadable',
      );
      return undefined;
    }
  }
}
