import { ask, type Block } from './block.ts';

export interface FirewallStatus {
  readonly tables: number;
  readonly rules: number;
  /** Chains through which packets pass. */
  readonly chains: ReadonlyArray<{
    readonly family: string;
    readonly table: string;
    readonly name: string;
    readonly hook: string;
    readonly policy: string;
    readonly rules: number;
  }>;
}

/** Reads the rules of nftables, which contain those of iptables on current systems. */
export async function readFirewall(): Promise<Block<FirewallStatus>> {
  const listed = await ask(['nft', '-j', 'list', 'ruleset']);
  if (!listed.ok) return { unavailable: `The rules of nftables cannot be read (${listed.error.message}).` };
  const status = parseRuleset(listed.value);
  return status ? { value: status } : { unavailable: 'The answer of nft cannot be read.' };
}

/** Reads `nft -j list ruleset`. Undefined: it has another form. */
export function parseRuleset(text: string): FirewallStatus | undefined {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    return undefined;
  }
  const { nftables } = asObject(parsed);
  if (!Array.isArray(nftables)) return undefined;
  const of = (kind: string) => nftables.map((entry: unknown) => asObject(asObject(entry)[kind])).filter(hasMembers);
  const rules = of('rule');
  const chains = of('chain').filter(({ hook }) => typeof hook === 'string');
  return {
    tables: of('table').length,
    rules: rules.length,
    chains: chains.map(({ family, table, name, hook, policy }) => ({
      family: String(family),
      table: String(table),
      name: String(name),
      hook: String(hook),
      policy: typeof policy === 'string' ? policy : 'accept',
      rules: rules.filter((rule) => rule.family === family && rule.table === table && rule.chain === name).length,
    })),
  };
}

function hasMembers(object: Readonly<Record<string, unknown>>): boolean {
  return Object.keys(object).length > 0;
}

function asObject(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}
