import { type PolicyStructure, readStructure } from '../structure/structure.ts';

export interface Warning {
  readonly path: string;
  readonly message: string;
}

/** What makes a policy protect less than before, and what else to know before it is stored. */
export function findWarnings(before: string, after: string, replacedKeys: number): readonly Warning[] {
  const warnings: Warning[] = [];
  const [was, is] = [readStructure(before), readStructure(after)];
  if (was.ok && is.ok) warnings.push(...compare(was.structure, is.structure));
  if (replacedKeys > 0)
    warnings.push({
      path: '',
      message: `${replacedKeys === 1 ? 'One raw key is' : `${replacedKeys} raw keys are`} replaced by the SHA-256 of it. Nobody can read it back: keep a copy.`,
    });
  return warnings;
}

function compare(was: PolicyStructure, is: PolicyStructure): Warning[] {
  const covered = modesByHost(is);
  const warnings: Warning[] = [];
  for (const [host, mode] of modesByHost(was)) {
    const now = covered.get(host);
    if (now === undefined)
      warnings.push({
        path: host,
        message: 'is no longer covered by name: unless another entry fits, its requests pass unchecked.',
      });
    else if (mode === 'block' && now === 'detect')
      warnings.push({ path: host, message: 'only counts from now on: nothing is blocked there any more.' });
  }
  if (was.defaults.failMode === 'fail_close' && is.defaults.failMode === 'fail_open')
    warnings.push({ path: 'fail_mode', message: 'An engine that fails inside lets requests pass from now on.' });
  return warnings;
}

function modesByHost({ domains }: PolicyStructure): ReadonlyMap<string, string> {
  return new Map(domains.flatMap(({ hosts, mode }) => hosts.map((host) => [host, mode] as const)));
}
