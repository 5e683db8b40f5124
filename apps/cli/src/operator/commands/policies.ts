import type { Command } from 'commander';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { formatAge, print, printJson, printList } from '../output.ts';
import { listPolicies, readPolicy, type Scope } from '../records.ts';
import type { Runner } from './runner.ts';
import { type CommonOptions, openScope, withJson, withProject } from './scope-options.ts';

interface PolicyListOptions extends CommonOptions {
  readonly name: string | undefined;
  readonly query?: string;
}

export function addPolicyCommands(program: Command, runner: Runner): void {
  withJson(withProject(program.command('policies')))
    .description('list security policies, or print one as it can be applied again')
    .argument('[name]')
    .action(
      runner.action(async (name: string | undefined, options: CommonOptions) =>
        policyList(runner, await openScope(runner.io, options), { ...options, name }),
      ),
    );
}

export async function policyList(
  { io }: Runner,
  scope: Scope,
  { name, ...options }: PolicyListOptions,
): Promise<ExitCode> {
  if (name !== undefined) {
    const { policy } = await readPolicy(scope, name);
    if (options.json) printJson(io, policy);
    else print(io, policy.text);
    return EXIT.ok;
  }
  const policies = await listPolicies(scope, options.query);
  const now = Date.now();
  type Row = (typeof policies)[number];
  const columns = [
    { title: 'name', value: (row: Row) => row.name },
    { title: 'hosts', value: (row: Row) => row.hosts.join(', ') },
    { title: 'digest', value: (row: Row) => row.digest.slice(0, 12) },
    { title: 'revision', value: (row: Row) => row.revision },
    { title: 'changed', value: (row: Row) => formatAge(row.updated_at, now) },
    { title: 'by', value: (row: Row) => row.updated_by },
  ];
  printList(io, { rows: policies, columns }, options);
  return EXIT.ok;
}
