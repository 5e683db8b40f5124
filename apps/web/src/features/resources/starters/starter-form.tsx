import { Button } from '@mantine/core';
import { type FormEvent, useRef, useState } from 'react';
import type { JsonObject } from '../../../forms/index.ts';
import { texts } from '../texts.tsx';
import { AnswerInput } from './answer-input.tsx';
import { exampleOf, fillStarter, firstHostName, proposeAnswers, type Starter } from './answers.ts';
import { judgeAnswers } from './judge-answers.ts';
import classes from './starters.module.css';

const text = texts.starters;

export interface FilledStarter {
  readonly starter: Starter;
  readonly name: string;
  readonly resource: JsonObject;
}

interface StarterFormProps {
  readonly starter: Starter;
  readonly version: string;
  /** Returns a problem of the name that only the controller knows. */
  readonly judgeName: (name: string) => Promise<string | undefined>;
  readonly onDone: (filled: FilledStarter) => void;
  readonly onBack: () => void;
}

/** Asks for what a starter needs. Problems are shown after the first attempt to continue. */
export function StarterForm({ starter, version, judgeName, onDone, onBack }: StarterFormProps) {
  const form = useRef<HTMLFormElement>(null);
  const { answers, change, problemAt, isBusy, submit } = useAnswers({ starter, judgeName, onDone }, () =>
    form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus(),
  );
  return (
    <form
      ref={form}
      className={classes.form}
      noValidate
      aria-label={starter.title}
      onSubmit={(event) => void submit(event)}
    >
      <div>
        <h2 className={classes.title}>{starter.title}</h2>
        <p className={classes.purpose}>{starter.description}</p>
      </div>
      {starter.questions.map((question, index) => (
        <AnswerInput
          key={`${question.kind} ${question.label}`}
          question={question}
          collection={starter.collection}
          version={version}
          value={answers[index] ?? ''}
          placeholder={question.kind === 'server_name' ? firstHostName(starter, answers) : exampleOf(starter, question)}
          error={problemAt(index)}
          isFirst={index === 0}
          onChange={(value) => change(index, value)}
        />
      ))}
      <p className={classes.purpose}>{text.lead}</p>
      <div className={classes.foot}>
        <Button type="submit" loading={isBusy}>
          {text.continue}
        </Button>
        <Button variant="default" onClick={onBack}>
          {text.back}
        </Button>
      </div>
    </form>
  );
}

/** The answers and their problems. `focusInvalid` runs once the first invalid input is marked. */
function useAnswers(
  { starter, judgeName, onDone }: Pick<StarterFormProps, 'starter' | 'judgeName' | 'onDone'>,
  focusInvalid: () => void,
) {
  const [answers, setAnswers] = useState<readonly string[]>(() => proposeAnswers(starter));
  const [isChecked, setChecked] = useState(false);
  const [taken, setTaken] = useState<{ readonly name: string; readonly problem: string }>();
  const [isBusy, setBusy] = useState(false);
  const problems = judgeAnswers(starter, answers);
  const nameIndex = starter.questions.findIndex(({ kind }) => kind === 'name');
  return {
    answers,
    isBusy,
    change: (index: number, value: string) => setAnswers((before) => before.with(index, value)),
    problemAt(index: number): string | undefined {
      const isTaken = index === nameIndex && taken !== undefined && taken.name === answers[index]?.trim();
      return isTaken ? taken.problem : isChecked ? problems[index] : undefined;
    },
    async submit(event: FormEvent) {
      event.preventDefault();
      setChecked(true);
      if (problems.every((problem) => problem === undefined)) {
        setBusy(true);
        const filled = fillStarter(starter, answers);
        const problem = await judgeName(filled.name).finally(() => setBusy(false));
        if (problem === undefined) {
          onDone({ starter, ...filled });
          return;
        }
        setTaken({ name: filled.name, problem });
      }
      requestAnimationFrame(focusInvalid);
    },
  };
}
