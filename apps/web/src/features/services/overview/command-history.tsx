import { routes, useApi } from '../../../api/index.ts';
import { ClientLink } from '../../../app/links.tsx';
import { useProject } from '../../../app/project.tsx';
import { Empty, Loaded, State, Time, toWord } from '../../../ui/index.ts';
import { nameOf } from '../../clients/index.ts';
import { explainOutcome } from '../operations/progress.ts';
import { formatTook } from '../operations/progress-list.tsx';
import classes from '../service.module.css';
import type { CommandItem } from '../types.ts';
import { texts } from './texts.tsx';

const text = texts.commandHistory;

const SHOWN = 10;

/** Lists recent commands of the service, without read-only ones. */
export function CommandHistory({ serviceId }: { serviceId: string }) {
  const project = useProject();
  const query = useApi(
    routes.command.list,
    { query: { project: project.id, service_id: serviceId, kind: ['action', 'desired'], limit: SHOWN } },
    { topics: ['command'] },
  );
  return (
    <Loaded query={query} what={text.what} skeleton={4}>
      {({ body }) => {
        const commands = body.items;
        if (commands.length === 0) return <Empty title={text.emptyTitle}>{text.empty}</Empty>;
        return (
          <div className={`${classes.panel} ${classes.scroll}`}>
            <table className={classes.table} aria-label={text.list}>
              <thead>
                <tr>
                  <th>{text.command}</th>
                  <th>{text.client}</th>
                  <th>{text.outcome}</th>
                  <th>{text.when}</th>
                  <th>{text.took}</th>
                  <th>{text.by}</th>
                </tr>
              </thead>
              <tbody>
                {commands.map((command) => (
                  <Row key={command.id} command={command} />
                ))}
              </tbody>
            </table>
          </div>
        );
      }}
    </Loaded>
  );
}

function Row({ command }: { command: CommandItem }) {
  return (
    <tr>
      <td className={classes.nowrap}>{nameOf(command)}</td>
      <td>
        <ClientLink id={command.client_id} name={command.client_name} />
      </td>
      <td className={classes.wide}>
        {command.outcome === 'running' ? (
          <State word={text.running} tone="busy" shape="arc" why={command.step ?? explainOutcome('running')} />
        ) : (
          <State word={toWord(command.outcome)} why={explainOutcome(command.outcome)} />
        )}
        {command.error && <div className={classes.side}>{command.error.message}</div>}
      </td>
      <td className={classes.nowrap}>
        <Time at={command.created_at} />
      </td>
      <td className={classes.nowrap}>{command.finished_at && formatTook(command.duration_ms)}</td>
      <td>
        <bdi>{command.created_by}</bdi>
      </td>
    </tr>
  );
}
