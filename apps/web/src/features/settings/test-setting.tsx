import type { SettingTrial } from '@flotilla/contract';
import { Button, List } from '@mantine/core';
import { useState } from 'react';
import { call, routes } from '../../api/index.ts';
import { Notice, Problem, toWord, useSending } from '../../ui/index.ts';
import lines from '../../ui/rows.module.css';
import { texts } from './texts.ts';
import type { SettingPlace } from './use-setting-editor.ts';
import type { Values } from './values.ts';

const text = texts.test;

/** Tests the values in the form, and shows the steps of the test. */
export function TestSetting({ place, body }: { place: SettingPlace; body: () => Values }) {
  const sending = useSending();
  const [trial, setTrial] = useState<SettingTrial>();
  const run = () =>
    sending.send(async () => {
      setTrial(undefined);
      const { key, name, query } = place;
      const answer =
        name === undefined
          ? await call(routes.setting.test, { params: { key }, query, body: body() })
          : await call(routes.setting.testNamed, { params: { key, name }, query, body: body() });
      setTrial(answer.body);
    });
  return (
    <>
      <div>
        <Button variant="default" loading={sending.isBusy} onClick={() => void run()}>
          {text.action}
        </Button>{' '}
        <span className={lines.dim}>{text.hint}</span>
      </div>
      {sending.error !== undefined && <Problem error={sending.error} what={text.failed} />}
      {trial && <TrialResult trial={trial} />}
    </>
  );
}

function TrialResult({ trial: { ok, latency_ms, steps } }: { trial: SettingTrial }) {
  return (
    <Notice tone={ok ? 'good' : 'bad'} title={ok ? text.good(latency_ms) : text.bad}>
      <List type="ordered" mt={4}>
        {steps.map((step) => (
          <List.Item key={step.name}>
            {toWord(step.name)}: {step.message ?? (step.ok ? text.stepGood : text.stepBad)}
          </List.Item>
        ))}
      </List>
    </Notice>
  );
}
