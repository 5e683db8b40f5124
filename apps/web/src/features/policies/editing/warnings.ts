import { type EngineStructure, type PolicyStructure, readStructure } from '../structure/structure.ts';
import { texts } from './texts.tsx';

const text = texts.warnings;

export interface Warning {
  readonly path: string;
  readonly message: string;
}

/** Warns about everything that weakens the policy, and about raw keys, before it is saved. */
export function findWarnings(before: string, after: string, replacedKeys: number): readonly Warning[] {
  const warnings: Warning[] = [];
  const [was, is] = [readStructure(before), readStructure(after)];
  if (was.ok && is.ok) warnings.push(...compare(was.structure, is.structure));
  if (replacedKeys > 0)
    warnings.push({
      path: '',
      message: text.findWarnings.keysReplaced(replacedKeys),
    });
  return warnings;
}

/** The mode and engines of one path of one host. */
interface Guard {
  readonly mode: string;
  readonly engines: ReadonlySet<string>;
}

function compare(was: PolicyStructure, is: PolicyStructure): Warning[] {
  const [before, after] = [guardsOf(was), guardsOf(is)];
  const warnings: Warning[] = [];
  for (const [host, places] of before) {
    const now = after.get(host);
    if (!now) {
      warnings.push({
        path: host,
        message: text.compare.hostDropped,
      });
      continue;
    }
    for (const [prefix, guard] of places) warnings.push(...lessGuarded(host, prefix, guard, findGuard(now, prefix)));
  }
  if (was.defaults.failMode === 'fail_close' && is.defaults.failMode === 'fail_open')
    warnings.push({ path: 'fail_mode', message: text.compare.failsOpen });
  return warnings;
}

function lessGuarded(host: string, prefix: string, was: Guard, is: Guard): Warning[] {
  const path = `${host}${prefix}`;
  if (was.mode === 'block' && is.mode === 'detect') return [{ path, message: text.lessGuarded.onlyCounts }];
  const gone = [...was.engines].filter((engine) => !is.engines.has(engine));
  return gone.length === 0 ? [] : [{ path, message: text.lessGuarded.engineGone(gone.join(', ')) }];
}

/** Returns the rule of a path. Without a route, that is the rule of the longest matching prefix. */
function findGuard(places: ReadonlyMap<string, Guard>, prefix: string): Guard {
  const found = [...places].filter(([other]) => prefix.startsWith(other)).sort((a, b) => b[0].length - a[0].length)[0];
  return found?.[1] ?? { mode: 'block', engines: new Set() };
}

/** Returns rules by host, then by prefix; the domain itself has the empty prefix. */
function guardsOf({ domains }: PolicyStructure): ReadonlyMap<string, ReadonlyMap<string, Guard>> {
  const active = (engines: readonly EngineStructure[]) =>
    new Set(engines.filter(({ origin }) => origin !== 'off').map(({ name }) => name));
  return new Map(
    domains.flatMap(({ hosts, mode, engines, routes }) => {
      const places = new Map<string, Guard>([['', { mode, engines: active(engines) }]]);
      for (const route of routes) places.set(route.prefix, { mode: route.mode, engines: active(route.engines) });
      return hosts.map((host) => [host, places] as const);
    }),
  );
}
