import {
  type EffectiveDomain,
  isTemplateName,
  PolicyIndex,
  segmentsOf,
  type TemplateSegment,
  toTemplateName,
} from '@flotilla/policy';

const REMEMBERED_MAX = 20_000;

/** Finds templates of recorded paths whose values choose between several routes of a policy. */
export class PathDoubts {
  readonly #domains: PolicyIndex<readonly string[]>;
  readonly #known = new Map<string, boolean>();

  constructor(domains: readonly EffectiveDomain[]) {
    const routesOf = new Map(
      domains.flatMap(({ policy, routes }) => {
        const names = routes.map(({ pathPrefix }) => pathPrefix);
        return [policy, ...routes.map((route) => route.policy)].map((holder) => [holder, names] as const);
      }),
    );
    this.#domains = new PolicyIndex(domains, (policy) => routesOf.get(policy) ?? []);
  }

  /** Whether some values of the template match another route than the template as a text does. */
  mayMatchMore(host: string, template: string): boolean {
    if (!template.includes('{')) return false;
    const key = `${host} ${template}`;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const routes = this.#domains.findDomain(host)?.findPolicy('/') ?? [];
    const segments = segmentsOf(toTemplateName(template));
    const may = routes.some((route) =>
      isTemplateName(route) ? isOneOfSome(segmentsOf(route), segments) : isPrefixOfSome(route, segments),
    );
    if (this.#known.size < REMEMBERED_MAX) this.#known.set(key, may);
    return may;
  }
}

/** Whether a template matches paths of the other one, but not all. */
function isOneOfSome(route: readonly TemplateSegment[], recorded: readonly TemplateSegment[]): boolean {
  if (route.length !== recorded.length) return false;
  let isNarrower = false;
  for (const [index, own] of route.entries()) {
    const other = recorded[index];
    if (other === undefined || !mayBeEqual(own, other)) return false;
    const isSame = JSON.stringify(own) === JSON.stringify(other);
    const isAny = own.kind === 'value' && own.before === '' && own.after === '';
    if (other.kind === 'value' && !isSame && !isAny) isNarrower = true;
  }
  return isNarrower;
}

function mayBeEqual(a: TemplateSegment, b: TemplateSegment): boolean {
  if (a.kind === 'text' && b.kind === 'text') return a.text === b.text;
  if (a.kind === 'value' && b.kind === 'value') return true;
  const [text, value] = a.kind === 'text' ? [a, b] : [b, a];
  if (text.kind !== 'text' || value.kind !== 'value') return true;
  return text.text.startsWith(value.before) && text.text.endsWith(value.after);
}

/** Whether a prefix begins some paths of the template because of their values. */
function isPrefixOfSome(prefix: string, recorded: readonly TemplateSegment[]): boolean {
  const parts = prefix.slice(1).split('/');
  for (const [index, part] of parts.entries()) {
    const segment = recorded[index];
    if (segment === undefined) return false;
    const isLast = index === parts.length - 1;
    if (segment.kind === 'value') {
      if (part !== '' && (isLast || mayBeEqual({ kind: 'text', text: part }, segment))) return true;
    } else if (isLast ? !segment.text.startsWith(part) : segment.text !== part) return false;
  }
  return false;
}
