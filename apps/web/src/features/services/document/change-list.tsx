import { useClientNames } from '../../../app/use-client-names.ts';
import classes from '../service.module.css';
import type { Change } from './diff.ts';
import { formatValue } from './format-value.ts';
import { texts } from './texts.tsx';

const text = texts.changeList;

const SIGNS = { added: '+', removed: '−', changed: '~' } as const;

/** Lists differences by path, with the values before and after. */
export function ChangeList({ changes, label }: { changes: readonly Change[]; label: string }) {
  const nameOf = useClientNames();
  if (changes.length === 0) return <p className={classes.quiet}>{text.nothing}</p>;
  return (
    <div className={`${classes.panel} ${classes.scroll}`}>
      <table className={classes.table} aria-label={label}>
        <thead>
          <tr>
            <th>{text.field}</th>
            <th>{text.before}</th>
            <th>{text.after}</th>
          </tr>
        </thead>
        <tbody>
          {changes.map((change) => (
            <tr key={`${change.change} ${change.path}`}>
              <td className={classes.nowrap}>
                <span className={`mono ${classes[change.change]}`}>
                  <span aria-hidden="true">{SIGNS[change.change]} </span>
                  <span className="visually-hidden">{change.change} </span>
                  {change.path}
                </span>
              </td>
              <td className={classes.wide}>
                {change.before !== undefined && <bdi>{formatValue(change.before, nameOf)}</bdi>}
              </td>
              <td className={classes.wide}>
                {change.after !== undefined && <bdi>{formatValue(change.after, nameOf)}</bdi>}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
