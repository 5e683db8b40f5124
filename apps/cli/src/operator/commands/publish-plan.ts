import type { PublishResult } from '@flotilla/contract';
import { printable } from '../output.ts';

/** A plan, or what was done, one line per record. */
export function describePlan(plan: PublishResult): string {
  const { service, clients, warnings, listener } = plan;
  const documents = plan.documents.map(
    ({ outcome, collection, name }) => `${outcome.padEnd(9)}  ${collection}/${name}`,
  );
  const others = (plan.services ?? []).filter(({ name }) => name !== service.name).map(({ name }) => name);
  const lines = [
    ...documents,
    `${service.outcome.padEnd(9)}  services/${service.name}`,
    ...clients.map(describeClient),
    ...(others.length > 0 ? [`also affects  ${others.join(', ')}`] : []),
    ...warnings.map((warning) => `warning: ${warning}`),
    '',
    `${plan.url}  by listener ${listener.name} on ${listener.address}:${listener.port}`,
  ];
  return lines.map(printable).join('\n');
}

function describeClient({ client_name, deploys, connected }: PublishResult['clients'][number]): string {
  return `${(deploys ? 'deploy' : 'runs').padEnd(9)}  on ${client_name}${connected ? '' : ' (offline)'}`;
}
