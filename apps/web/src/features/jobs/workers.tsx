import { routes, useApi } from '../../api/index.ts';
import { useCan, useProject } from '../../app/project.tsx';
import { Loaded, Notice, Time } from '../../ui/index.ts';
import layout from '../../ui/layout.module.css';
import lines from '../../ui/rows.module.css';
import { texts } from './texts.ts';

const text = texts.workers;
const REFRESH_MS = 3_000;

/** Lists the controllers that run jobs, and the jobs that no controller holds. */
export function Workers() {
  const project = useProject();
  const can = useCan();
  const query = { project: project.id };
  const workers = useApi(routes.job.workers, { query }, { refetchEveryMs: () => REFRESH_MS });
  const stuck = useApi(routes.job.stuck, { query }, { refetchEveryMs: () => REFRESH_MS });
  // Some users may not list controllers.
  const controllers = useApi(routes.controller.instances, { query }, { enabled: can(routes.controller.instances) });
  const hostOf = new Map(controllers.data?.body.instances.map(({ id, hostname }) => [id, hostname]));
  const stuckCount = stuck.data?.body.items.length ?? 0;
  return (
    <div className={layout.stack}>
      {stuckCount > 0 && (
        <Notice tone="warn" title={text.stuckTitle(stuckCount)}>
          {text.stuckText}
        </Notice>
      )}
      <Loaded query={workers} what={text.what}>
        {({ body }) =>
          body.items.length === 0 ? (
            <p className={layout.note}>{text.none}</p>
          ) : (
            <ul className={lines.rows} aria-label={text.list}>
              {body.items.map(({ controller, slots, busy, seen_at }) => (
                <li key={controller} className={lines.row}>
                  <span className={lines.grow}>
                    <bdi>{hostOf.get(controller)}</bdi> <span className={`mono ${lines.dim}`}>{controller}</span>
                  </span>
                  <span>{text.busy(busy, slots)}</span>
                  <span className={lines.dim}>
                    {text.seen} <Time at={seen_at} />
                  </span>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </div>
  );
}
