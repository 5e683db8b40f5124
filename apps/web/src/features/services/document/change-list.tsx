import classes from '../service.module.css';
import type { Change } from './diff.ts';

const SIGNS = { added: '+', removed: '−', changed: '~' } as const;

/** Differences by path, with what was before and what comes after. `nameOf` gives ids their names. */
export function ChangeList({
  changes,
  label,
  nameOf = (text) => text,
}: {
  changes: readonly Change[];
  label: string;
  nameOf?: (text: string) => string;
}) {
  if (changes.length === 0) return <p className={classes.quiet}>Nothing differs.</p>;
  const show = (value: unknown) => nameOf(typeof value === 'string' ? value : JSON.stringify(value));
  return (
    <div className={`${classes.panel} ${classes.scroll}`}>
      <table className={classes.table} aria-label={label}>
        <thead>
          <tr>
            <th>Field</th>
            <th>Before</th>
            <th>After</th>
          </tr>
        </thead>
        <tbody>
          {changes.map((change) => (
            <tr key={`${change.change} ${change.path}`}>
              <td className={classes.nowrap}>
                <span className={`mono ${classes[change.change]}`} title={change.change}>
                  <span aria-hidden="true">{SIGNS[change.change]} </span>
                  <span className="visually-hidden">{change.change} </span>
                  {change.path}
                </span>
              </td>
              <td className={`mono ${classes.wide}`}>
                {change.before === undefined ? '' : <bdi>{show(change.before)}</bdi>}
              </td>
              <td className={`mono ${classes.wide}`}>
                {change.after === undefined ? '' : <bdi>{show(change.after)}</bdi>}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
