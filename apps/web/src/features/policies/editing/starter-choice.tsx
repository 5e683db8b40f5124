import classes from './editing.module.css';
import { STARTERS } from './starters.ts';
import { texts } from './texts.tsx';

const text = texts.starterChoice;

interface StarterChoiceProps {
  readonly chosen: string | undefined;
  readonly onChoose: (id: string) => void;
}

export function StarterChoice({ chosen, onChoose }: StarterChoiceProps) {
  return (
    <div className={classes.starters} role="radiogroup" aria-label={text.title}>
      {STARTERS.map(({ id, label, purpose }) => (
        <button
          key={id}
          type="button"
          role="radio"
          aria-checked={id === chosen}
          className={classes.starter}
          onClick={() => onChoose(id)}
        >
          <strong>{label}</strong>
          <span>{purpose}</span>
        </button>
      ))}
    </div>
  );
}
