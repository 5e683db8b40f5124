import type { InventoryOperationSummary } from '@flotilla/contract';
import { Hint, State } from '../../ui/index.ts';
import classes from './inventory.module.css';
import { BAND_LOOKS, type Band } from './looks.ts';
import { texts } from './texts.tsx';
import type { FlagCatalogue } from './use-inventory.ts';

const text = texts.risk;

type Flags = InventoryOperationSummary['threat_flags'];

interface RiskCellProps {
  /** From the flags that are active now. */
  readonly score: number;
  readonly band: Band;
  /** The highest since the last reset. */
  readonly highest: number;
  readonly flags: Flags;
  readonly catalogue: FlagCatalogue;
}

/** Shows the current score of one axis with its worst flag; the hint lists all flags and the highest score. */
export function RiskCell({ score, band, highest, flags, catalogue }: RiskCellProps) {
  const { titleOf, activeDays } = catalogue;
  const active = flags.filter((one) => one.active);
  const hint = () => (
    <div className={classes.hints}>
      {activeDays !== undefined && <div>{text.now(score, activeDays)}</div>}
      <div>{text.ever(highest)}</div>
      {flags.map(({ flag, severity, active: isActive }) => (
        <div key={flag}>
          {(isActive ? text.active : text.past)(titleOf(flag), texts.severities[severity].toLowerCase())}
        </div>
      ))}
    </div>
  );
  return (
    <Hint label={hint}>
      {(target) => (
        <span className={classes.risk} {...target}>
          <Score score={score} band={band} />
          {active[0] && (
            <span className={classes.flag}>
              {titleOf(active[0].flag)}
              {active.length > 1 && ` ${text.more(active.length - 1)}`}
            </span>
          )}
        </span>
      )}
    </Hint>
  );
}

/** A score with its band. */
export function Score({ score, band }: Pick<RiskCellProps, 'score' | 'band'>) {
  const look = BAND_LOOKS[band];
  return <State {...look} word={score === 0 ? look.word : text.score(score, look.word)} />;
}
