import { type Overview, overviewRoutes } from '@flotilla/contract';
import type { Command } from 'commander';
import { printable } from '../output.ts';
import type { Runner } from './runner.ts';
import { type CommonOptions, openScope, withJson, withProject } from './scope-options.ts';

export function addOverviewCommand(program: Command, runner: Runner): void {
  const { io } = runner;
  withJson(withProject(program.command('overview')))
    .description('what is wrong in the project, and recent changes')
    .action(
      runner.answer(async (options: CommonOptions) => {
        const { connection, project } = await openScope(io, options);
        const { body } = await connection.call(overviewRoutes.read, { query: { project } });
        return { json: body, text: [...describeState(body), ...describeRecent(body)].join('\n') };
      }),
    );
}

/** The controller leaves out sections that the role may not read. */
function describeState(overview: Overview): string[] {
  const { services, clients, config_errors: errors, certificates, pending_changes: pending } = overview;
  const lines: string[] = [];
  if (services) {
    const { live, partial, offline, not_deployed: idle } = services;
    lines.push(`services      ${live} live, ${partial} partial, ${offline} offline, ${idle} not deployed`);
    for (const { name, status, active_errors: count } of services.worst)
      lines.push(`  ${name} is ${status.toLowerCase()}, ${countOf(count, 'error')}`);
  }
  if (clients) {
    lines.push(`clients       ${clients.live} live, ${clients.offline} offline`);
    for (const { name, since } of clients.offline_clients)
      lines.push(`  ${name} ${since === null ? 'never connected' : `has been offline since ${since}`}`);
  }
  if (errors) {
    lines.push(
      `errors        ${errors.critical} critical, ${countOf(errors.error, 'error')}, ${countOf(errors.warning, 'warning')}`,
    );
    for (const { service_name: service, message } of errors.newest)
      lines.push(printable(`  ${service ?? '-'}: ${message}`));
  }
  lines.push(`certificates  ${certificates.ended} ended, ${certificates.ends_soon} end within 30 days`);
  for (const { document, ends_at: end, state } of certificates.first) {
    const name = document === null ? 'authority of the installation' : `${document.collection}/${document.name}`;
    lines.push(`  ${name} ${state === 'ended' ? 'ended' : 'ends'} ${end}`);
  }
  if (pending) {
    lines.push(`changes       in progress on ${countOf(pending.nodes, 'node')}`);
    for (const { client_name: client, service_name: service, resource, state } of pending.items)
      lines.push(`  ${service} on ${client}: ${resource === null ? '' : `${resource.type} ${resource.name} `}${state}`);
  }
  return [...lines, `commands      ${overview.running_commands} running`];
}

function countOf(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

function describeRecent({ recent }: Overview): string[] {
  return recent.map((change) => {
    const who = `${change.at}  ${change.actor ?? '-'}`;
    if (change.kind === 'audit')
      return `${who}  ${[change.action, change.resource.name, change.outcome].filter(Boolean).join(' ')}`;
    return `${who}  ${change.collection ?? change.kind} ${change.name} revision ${change.revision}`;
  });
}
