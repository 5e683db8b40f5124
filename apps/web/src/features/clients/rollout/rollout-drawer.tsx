import type { CommandRollout } from '@flotilla/contract';
import { useState } from 'react';
import { UrlDrawer } from '../../../ui/index.ts';
import { RolloutForm } from './rollout-form.tsx';
import { INITIAL, type RolloutValues } from './rollout-request.ts';
import { texts } from './rollout-texts.ts';
import { RolloutWaves } from './rollout-waves.tsx';

/** `?rollout=new`: the form, then the waves that it leads to. */
export function RolloutDrawer() {
  return (
    <UrlDrawer name="rollout" value="new" title={texts.title} size="lg">
      {() => <Rollout />}
    </UrlDrawer>
  );
}

interface Planned {
  readonly values: RolloutValues;
  readonly plan: CommandRollout;
}

function Rollout() {
  const [values, setValues] = useState(INITIAL);
  const [planned, setPlanned] = useState<Planned>();
  if (planned) return <RolloutWaves {...planned} onChange={() => setPlanned(undefined)} />;
  return (
    <RolloutForm
      initial={values}
      onPlan={(next, plan) => {
        setValues(next);
        setPlanned({ values: next, plan });
      }}
    />
  );
}
