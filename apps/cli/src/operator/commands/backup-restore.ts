import { backupRoutes, RENAME_SUFFIX, type RestorePlan } from '@flotilla/contract';
import type { Command } from 'commander';
import { CliFailure, EXIT } from '../exit-codes.ts';
import { printable } from '../output.ts';
import { type OpeningOptions, readOpening, withOpening } from './backup-opening.ts';
import { followJob } from './jobs.ts';
import { collect } from './option-values.ts';
import { type ChoiceOptions, readChoices } from './restore-choices.ts';
import type { Runner } from './runner.ts';
import { openScope, withJson, withProject } from './scope-options.ts';

interface RestoreOptions extends OpeningOptions, ChoiceOptions {
  readonly digest?: string;
}

export function addRestoreCommands(backup: Command, runner: Runner): void {
  const { io } = runner;

  withChoices(withOpening(withJson(withProject(backup.command('plan')))))
    .description('what restoring a backup into the project would do; changes nothing')
    .argument('<backup>')
    .action(
      runner.answer(async (id: string, options: RestoreOptions) => {
        const choices = readChoices(options);
        const { connection, project } = await openScope(io, options);
        const body = { backup: id, ...choices, ...(await readOpening(runner, options)) };
        const { body: plan } = await connection.call(backupRoutes.plan, { query: { project }, body });
        return { json: plan, text: describePlan(plan) };
      }),
    );

  withChoices(withOpening(withJson(withProject(backup.command('restore')))))
    .description('restore a backup into the project, as its plan says; a restore point is made before')
    .argument('<backup>')
    .requiredOption('--digest <digest>', 'of the plan, which was made by the same choices')
    .action(
      runner.answer(async (id: string, options: RestoreOptions) => {
        const choices = readChoices(options);
        const { connection, project } = await openScope(io, options);
        const opening = await readOpening(runner, options);
        const body = { backup: id, ...choices, digest: options.digest ?? '', ...opening };
        const { body: begun } = await connection.call(backupRoutes.import, { query: { project }, body });
        const job = await followJob(runner, { connection, project }, begun.job.id);
        if (job.status !== 'done')
          throw new CliFailure(
            EXIT.failed,
            `Nothing was restored. ${job.error?.message ?? `The job is ${job.status}.`}`,
          );
        const params = { restore_id: begun.restore };
        const { body: done } = await connection.call(backupRoutes.restore, { params, query: { project } });
        return {
          json: done,
          text: `${done.restored?.length ?? 0} records are restored. As it was before: backup ${done.restore_point}.`,
        };
      }),
    );
}

function withChoices(command: Command): Command {
  return command
    .option('--replace', 'replace what is there by these names, instead of leaving it')
    .option(
      '--section <section=choice>',
      'another choice for a section, such as services=rename: skip, replace or rename; may be repeated',
      collect,
    )
    .option(
      '--record <section/name=choice>',
      'another choice for one record, by its name in the plan or its id, such as policies/guard=rename:guard-2; may be repeated',
      collect,
    )
    .option('--with-members', 'people who have left become members again, in the roles that they had')
    .option('--suffix <text>', `what follows the names of renamed records (${RENAME_SUFFIX})`);
}

function describePlan(plan: RestorePlan): string {
  return [
    ...plan.creates.map(({ kind, count, names }) => printable(`creates ${count} ${kind}: ${names.join(', ')}`)),
    ...plan.conflicts.map(({ kind, name, choice, as }) =>
      printable(
        as === undefined
          ? `${choice}s ${name} (${kind}), which is there and differs`
          : `creates ${name} (${kind}) as ${as}, beside what is there`,
      ),
    ),
    `${plan.unchanged} are the same already`,
    ...plan.missing_secrets.map(({ name, path }) => printable(`without its secret: ${name} ${path}`)),
    ...plan.not_taken.map(({ kind, count, reason }) =>
      printable(`not taken: ${count > 0 ? `${count} ` : ''}${kind}: ${reason}`),
    ),
    `Restore it with: --digest ${plan.digest}`,
  ].join('\n');
}
