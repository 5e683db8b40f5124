import { useEffect, useRef } from 'react';
import classes from './notice.module.css';
import { Problem, type ProblemProps } from './notice.tsx';

/**
 * Why something was not done, at the end of a long form whose buttons stay in view: it comes into view above them, because
 * whoever has pressed may be looking at quite another part of the form.
 */
export function Refusal(props: ProblemProps) {
  const place = useRef<HTMLDivElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another try is shown again
  useEffect(() => {
    // Newer browsers return a promise, which React would take for what ends the effect.
    place.current?.scrollIntoView({ block: 'nearest' });
  }, [props.error]);
  return (
    <div ref={place} className={classes.aboveButtons}>
      <Problem {...props} />
    </div>
  );
}
