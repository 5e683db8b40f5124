import { findPolicyWarnings, type LoadProblem } from '@flotilla/policy';
import { parseFlags } from '../flags.ts';
import { locateProblems } from '../locate-problems.ts';
import { openPolicies } from './open-policies.ts';
import { EXIT_FAILED, EXIT_OK, type ShieldIo } from './shield-io.ts';
import { refuseUsage } from './usage.ts';

/**
 * `flotilla shield validate FILE|DIR`: reports everything that a load checks, and warnings about what is probably a
 * mistake. One line per problem (`file:line:field: message [rule]`) on stderr; exit code 1 if there is a problem, or
 * with `--strict` a warning.
 */
export async function runValidate(args: readonly string[], io: ShieldIo): Promise<number> {
  const flags = parseFlags(args, { json: { type: 'boolean' }, strict: { type: 'boolean' } });
  if (!flags.ok) return refuseUsage(io, flags.error);
  const { values, positionals } = flags.value;
  const [path] = positionals;
  if (path === undefined || positionals.length > 1) return refuseUsage(io, 'validate takes one FILE or DIR');
  const opened = await openPolicies(path);
  const problems = opened.ok ? [] : opened.error;
  const warnings = opened.ok ? findPolicyWarnings(opened.value.files, { standsAlone: true }) : [];
  const exitCode = problems.length > 0 || (values.strict === true && warnings.length > 0) ? EXIT_FAILED : EXIT_OK;
  if (values.json === true) {
    const loaded = opened.ok ? opened.value.loaded : undefined;
    const bundle = {
      digest: loaded?.digest ?? null,
      policies: loaded?.policyNames ?? [],
      domains: loaded?.domains.length ?? 0,
    };
    io.stdout.write(`${JSON.stringify({ valid: opened.ok, ...bundle, problems, warnings }, null, 2)}\n`);
    return exitCode;
  }
  const reported = [...problems, ...warnings.map(asWarning)];
  if (reported.length > 0) io.stderr.write(`${(await locateProblems(path, reported)).join('\n')}\n`);
  if (opened.ok) {
    const { domains, policyNames, digest } = opened.value.loaded;
    const policies = formatCount(policyNames.length, 'policy', 'policies');
    io.stdout.write(
      `${path}: valid (${policies}, ${formatCount(domains.length, 'domain', 'domains')}, digest ${digest})\n`,
    );
  }
  return exitCode;
}

function formatCount(count: number, one: string, many: string): string {
  return `${count} ${count === 1 ? one : many}`;
}

function asWarning(warning: LoadProblem): LoadProblem {
  return { ...warning, message: `warning: ${warning.message}` };
}
