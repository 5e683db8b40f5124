import { useEffect, useRef } from 'react';
import classes from './notice.module.css';
import { Problem, type ProblemProps } from './notice.tsx';

/** An error at the end of a long form. It scrolls into view above the sticky buttons, because the user may be looking at another part. */
export function Refusal(props: ProblemProps) {
  const place = useRef<HTMLDivElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another try is shown again
  useEffect(() => {
    // Newer browsers return a promise, which React would treat as a cleanup function.
    place.current?.scrollIntoView({ block: 'nearest' });
  }, [props.error]);
  return (
    <div ref={place} className={classes.aboveButtons}>
      <Problem {...props} />
    </div>
  );
}
