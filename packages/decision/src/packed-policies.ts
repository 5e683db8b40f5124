import { compileEngine, hasLimiter } from '@flotilla/engines';
import type {
  DocumentList,
  EffectiveDomain,
  EffectivePolicy,
  EngineBlock,
  HostPattern,
  LoadedPolicies,
} from '@flotilla/policy';
import { chunkDomain, type DomainChunk, type PackedPolicy, PartOrder } from './domain-chunks.ts';
import { listOf, openPiece, PieceWriter, readChunk, writeListPiece } from './pieces.ts';

/** Properties of a bundle as a whole. */
export interface BundleHead {
  readonly digest: string;
  readonly policyNames: readonly string[];
  readonly domainCount: number;
}

export function headOf({ digest, policyNames, domains }: LoadedPolicies): BundleHead {
  return { digest, policyNames, domainCount: domains.length };
}

/**
 * Yields a bundle in pieces, each so small that requests can wait while it is taken. Preserves which policies share a
 * block. Throws if an engine cannot be created: most are created after the bundle took effect, which would be too late.
 */
export function* packPolicies(domains: Iterable<EffectiveDomain>): Generator<Uint8Array, void> {
  let piece = new PieceWriter();
  const listed = new Set<string>();
  for (const domain of domains) {
    for (const { chunk, part, ends } of chunkDomain(domain)) {
      for (const block of chunk.blocks) {
        if (!hasLimiter(block)) compileEngine(block);
        const list = listOf(block);
        if (list === undefined || listed.has(list.sha256)) continue;
        listed.add(list.sha256);
        yield writeListPiece(list);
      }
      piece.add(chunk, { part, ends, ...(part === 0 && { hosts: domain.hosts }) });
      if (!piece.isFull) continue;
      yield piece.finish();
      piece = new PieceWriter();
    }
  }
  if (!piece.isEmpty) yield piece.finish();
}

/** Rebuilds the bundle from all its pieces. Throws if part of a domain is missing. */
export function unpackPolicies(head: BundleHead, pieces: Iterable<Uint8Array>): LoadedPolicies {
  const domains: DomainReader[] = [];
  const order = new PartOrder();
  const lists = new Map<string, DocumentList>();
  for (const bytes of pieces) {
    const opened = openPiece(bytes);
    if (opened.kind === 'list') {
      lists.set(opened.list.sha256, opened.list);
      continue;
    }
    for (const { piece, at, entry } of opened.places) {
      order.take(entry);
      if (entry.hosts !== undefined) domains.push(new DomainReader(entry.hosts));
      domains.at(-1)?.add(readChunk({ piece, at, bytes: entry.bytes }, lists));
    }
  }
  order.finish();
  return { digest: head.digest, policyNames: head.policyNames, domains: domains.map((domain) => domain.finish()) };
}

/** Joins the chunks of a domain. */
class DomainReader {
  readonly #hosts: readonly HostPattern[];
  readonly #blocks: EngineBlock[] = [];
  #policy: EffectivePolicy | undefined;
  readonly #routes: { readonly pathPrefix: string; readonly policy: EffectivePolicy }[] = [];

  constructor(hosts: readonly HostPattern[]) {
    this.#hosts = hosts;
  }

  add({ blocks, policies, routes }: DomainChunk): void {
    this.#blocks.push(...blocks);
    const unpacked = policies.map((policy) => this.#unpack(policy));
    this.#policy ??= unpacked[0];
    for (const [pathPrefix, number] of routes) {
      const policy = unpacked[number];
      if (policy !== undefined) this.#routes.push({ pathPrefix, policy: { ...policy, pathPrefix } });
    }
  }

  finish(): EffectiveDomain {
    if (this.#policy === undefined) throw new Error('a domain came without its policy');
    return { hosts: this.#hosts, policy: this.#policy, routes: this.#routes };
  }

  #unpack(policy: PackedPolicy): EffectivePolicy {
    const engines = policy.engines.flatMap((number) => this.#blocks[number] ?? []);
    return { ...policy, engines, blockResponse: policy.blockResponse, pathPrefix: undefined };
  }
}
