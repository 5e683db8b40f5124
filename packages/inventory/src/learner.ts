import { createHash } from 'node:crypto';
import type { Answer } from './answer.ts';
import { findInShape } from './find-in-shape.ts';
import { HostTree } from './host-tree.ts';
import { HOSTS_MAX, NODES_MAX, PROBES_MAX } from './limits.ts';
import type { Method } from './method.ts';
import type { Place } from './place.ts';
import { PLACEHOLDER_OF } from './placeholders.ts';
import { ProbeSketch } from './probes.ts';
import { readSegment } from './segment-kind.ts';
import { type LearnedTemplate, listTemplates, type Shape } from './shape.ts';
import { type LearnerState, placeFromState, placeToState, readState } from './state.ts';

export interface Observation {
  readonly method: Method;
  readonly host: string;
  readonly segments: readonly string[];
  readonly answer: Answer;
  /** Requests. Default: 1. */
  readonly count?: number;
}

export interface Found {
  readonly host: string;
  /** Undefined for what has no name of its own. */
  readonly path: string | undefined;
  readonly source: 'learned' | 'probe' | 'other';
}

export interface LearnerLimits {
  readonly hostsMax: number;
  readonly nodesMax: number;
  readonly probesMax: number;
}

/** The host of requests to hosts beyond the limit. */
export const OTHER_HOST = '{other}';

const LIMITS: LearnerLimits = { hostsMax: HOSTS_MAX, nodesMax: NODES_MAX, probesMax: PROBES_MAX };

interface Known {
  readonly tree: HostTree;
  /** Trees of the host that grew elsewhere. */
  others: readonly Place[];
  shape: Shape | undefined;
}

/**
 * Learns the paths of hosts from the requests that were answered. Requests that were not answered never create anything but entries of a sketch of fixed
 * size, so a scanner changes neither memory nor operations.
 */
export class Learner {
  readonly #limits: LearnerLimits;
  readonly #hosts = new Map<string, Known>();
  readonly #probes: ProbeSketch;

  constructor(limits: Partial<LearnerLimits> = {}) {
    this.#limits = { ...LIMITS, ...limits };
    this.#probes = new ProbeSketch(this.#limits.probesMax);
  }

  /** Returns a complaint about a state that is not one. */
  static restore(state: unknown, limits: Partial<LearnerLimits> = {}): Learner | string {
    const read = readState(state);
    if (typeof read === 'string') return read;
    const learner = new Learner(limits);
    for (const [host, root] of Object.entries(read.hosts).slice(0, learner.#limits.hostsMax)) {
      const tree = new HostTree({ root: placeFromState(root), nodesMax: learner.#limits.nodesMax });
      learner.#hosts.set(host, { tree, others: [], shape: undefined });
    }
    learner.settle();
    return learner;
  }

  /**
   * Decides by what others have learned, too. It replaces what was adopted before, counts for decisions only, and is no part of `snapshot`: learners may adopt each
   * other without counting anything twice.
   */
  adopt(states: readonly LearnerState[]): void {
    for (const known of this.#hosts.values()) known.others = [];
    for (const { hosts } of states) {
      for (const [host, root] of Object.entries(hosts)) {
        const known = this.#hosts.get(host) ?? this.#admit(host);
        if (known !== undefined) known.others = [...known.others, placeFromState(root)];
      }
    }
    this.settle();
  }

  /** Contains words of paths as they were seen, but no values of secrets, tokens or people. */
  snapshot(): LearnerState {
    return {
      version: 1,
      hosts: Object.fromEntries(
        [...this.#hosts].flatMap(([host, { tree }]) => (tree.root.total > 0 ? [[host, placeToState(tree.root)]] : [])),
      ),
    };
  }

  get nodes(): number {
    let nodes = 0;
    for (const { tree } of this.#hosts.values()) nodes += tree.nodes;
    return nodes;
  }

  observe({ method, host, segments, answer, count = 1 }: Observation): void {
    if (answer !== 'answered') {
      if (this.#findLearned(method, host, segments) !== undefined) return;
      const key = probeKey(method, host, segments);
      for (let one = 0; one < count; one += 1) this.#probes.add(key);
      return;
    }
    const known = this.#hosts.get(host) ?? this.#admit(host);
    known?.tree.add(method, segments, count);
  }

  /**
   * Decides all places again; `find` answers by these decisions until the next time. Observe a batch of requests, settle, then name them: a path
   * that was first answered after the last decision has no name yet.
   */
  settle(): void {
    for (const known of this.#hosts.values()) known.shape = known.tree.decide(known.others);
  }

  find({ method, host, segments }: Omit<Observation, 'answer'>): Found {
    const learned = this.#findLearned(method, host, segments);
    if (learned !== undefined) return { host, path: learned, source: 'learned' };
    const isNamed = this.#probes.isNamed(probeKey(method, host, segments));
    if (isNamed) return { host, path: detectedPath(segments), source: 'probe' };
    return { host: this.#hosts.has(host) ? host : OTHER_HOST, path: undefined, source: 'other' };
  }

  /** Forgets the paths that were never answered. Do this when their stored rows are deleted. */
  forgetProbes(): void {
    this.#probes.forget();
  }

  templates(host: string): readonly LearnedTemplate[] {
    const shape = this.#hosts.get(host)?.shape;
    return shape === undefined ? [] : listTemplates(shape);
  }

  /** A text that changes with the templates that have placeholders: those are the ones of which stored paths may be a part. */
  shapes(): string {
    const hash = createHash('sha256');
    for (const host of [...this.#hosts.keys()].sort()) {
      const paths = this.templates(host).flatMap(({ method, path }) => (path.includes('{') ? `${method} ${path}` : []));
      hash.update(JSON.stringify([host, paths.sort()]));
    }
    return hash.digest('base64url');
  }

  #admit(host: string): Known | undefined {
    if (this.#hosts.size >= this.#limits.hostsMax) return undefined;
    const known: Known = { tree: new HostTree({ nodesMax: this.#limits.nodesMax }), others: [], shape: undefined };
    this.#hosts.set(host, known);
    return known;
  }

  #findLearned(method: Method, host: string, segments: readonly string[]): string | undefined {
    const known = this.#hosts.get(host);
    if (known === undefined) return undefined;
    known.shape ??= known.tree.decide(known.others);
    return findInShape(known.shape, method, segments);
  }
}

function probeKey(method: Method, host: string, segments: readonly string[]): string {
  return `${method} ${host} ${detectedPath(segments)}`;
}

/** Names a path by detectors alone. */
export function detectedPath(segments: readonly string[]): string {
  const shown = segments.map((segment) => {
    const { pattern, kind } = readSegment(segment);
    return kind === undefined ? segment : pattern.replaceAll('{}', PLACEHOLDER_OF[kind]);
  });
  return `/${shown.join('/')}`;
}
