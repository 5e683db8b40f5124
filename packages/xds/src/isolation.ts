/**
 * Finds the culprit of a refused response with several resources. Envoy's message may not name it, and Envoy may have
 * applied part of the response. The members are therefore sent again in smaller groups until a refused group has one
 * member. Names that the reason mentions go alone, after the rest; otherwise the group is halved.
 *
 * Idle: there are no groups, and every change may be sent. Isolating: only members of the first group may be sent. The
 * group ends when the client has answered its response (`settle`, or `split` on another refusal) or nothing is left to
 * send of it.
 */
export class Isolation {
  #groups: Array<ReadonlySet<string>> = [];
  #waiting = new Set<string>();

  get active(): boolean {
    return this.#groups.length > 0;
  }

  /** Whether a change of `name` may be sent now. */
  admits(name: string): boolean {
    const head = this.#groups[0];
    return head === undefined || head.has(name);
  }

  /** The members of the first group were sent in the response with this nonce. */
  markSent(nonce: string): void {
    if (this.active) this.#waiting.add(nonce);
  }

  /** The first group has nothing left to send or to answer. */
  skip(): void {
    if (this.#waiting.size === 0) this.#groups.shift();
  }

  settle(nonce: string): void {
    if (this.#waiting.delete(nonce) && this.#waiting.size === 0) this.#groups.shift();
  }

  /** Replaces the refused response's group by smaller ones. A single name is already isolated. */
  split(nonce: string, names: readonly string[], reason: string): void {
    this.settle(nonce);
    if (names.length < 2) return;
    this.#groups = [...deriveGroups(names, reason), ...this.#groups];
    this.#waiting.clear();
  }
}

function deriveGroups(names: readonly string[], reason: string): Array<ReadonlySet<string>> {
  const named = names.filter((name) => name !== '' && reason.includes(name));
  if (named.length > 0 && named.length < names.length) {
    const rest = names.filter((name) => !named.includes(name));
    return [new Set(rest), ...named.map((name) => new Set([name]))];
  }
  const middle = Math.ceil(names.length / 2);
  return [new Set(names.slice(0, middle)), new Set(names.slice(middle))];
}
