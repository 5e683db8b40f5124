/**
 * Finds the culprit of a refused response of several resources. Envoy's text may name none and it may have taken part of
 * the response, so the members are sent again in smaller groups until a refused group has one member. Names that the
 * reason mentions go alone, after the rest; otherwise the group is halved.
 *
 * Idle: no groups, every change may be sent. Isolating: only members of the first group may be sent; it leaves when the
 * client has answered the group's response (`settle`, or `split` on another refusal) or has nothing left to send of it.
 */
export class Isolation {
  #groups: Array<ReadonlySet<string>> = [];
  #waiting = new Set<string>();

  get active(): boolean {
    return this.#groups.length > 0;
  }

  /** May a change of `name` be sent now? */
  admits(name: string): boolean {
    const head = this.#groups[0];
    return head === undefined || head.has(name);
  }

  /** The members of the first group went out in the response with this nonce. */
  markSent(nonce: string): void {
    if (this.active) this.#waiting.add(nonce);
  }

  /** Nothing of the first group is left to send or to answer. */
  skip(): void {
    if (this.#waiting.size === 0) this.#groups.shift();
  }

  settle(nonce: string): void {
    if (this.#waiting.delete(nonce) && this.#waiting.size === 0) this.#groups.shift();
  }

  /** Replaces the refused response's group by smaller ones; a single name is no group to look into. */
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
