import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { routes } from '../../api/index.ts';
import { useCan, useProject } from '../../app/project.tsx';
import { Section, StateShape } from '../../ui/index.ts';
import classes from './overview.module.css';
import { texts } from './texts.tsx';
import type { FirstSteps as Steps } from './troubles.ts';

const words = texts.firstSteps;

/** Shows the next steps until something is deployed. */
export function FirstSteps({ steps: { hasClient, hasService } }: { steps: Steps }) {
  const project = useProject();
  const can = useCan();
  const params = { project: project.name };
  return (
    <Section title={words.list.title}>
      <ol className={classes.steps}>
        <EnrolStep isDone={hasClient} />
        <Step
          isDone={false}
          isNext={hasClient}
          title={words.list.publish}
          action={
            can(routes.publish.publish) && (
              <StepLink isNext={hasClient} text={words.list.publish}>
                {(props) => <Link to="/p/$project/publish" params={params} {...props} />}
              </StepLink>
            )
          }
        >
          {words.list.publishText}
        </Step>
        <Step
          isDone={hasService}
          isNext={false}
          title={words.list.createService}
          action={
            !hasService &&
            can(routes.service.create) && (
              <StepLink isNext={false} text={words.list.createService}>
                {(props) => <Link to="/p/$project/services/new" params={params} {...props} />}
              </StepLink>
            )
          }
        >
          {words.list.createServiceText}
        </Step>
        <Step
          isDone={false}
          isNext={false}
          title={words.list.deploy}
          action={
            hasService && (
              <StepLink isNext={false} text={words.list.showServices}>
                {(props) => <Link to="/p/$project/services" params={params} {...props} />}
              </StepLink>
            )
          }
        >
          {words.list.deployText}
        </Step>
      </ol>
    </Section>
  );
}

function EnrolStep({ isDone }: { isDone: boolean }) {
  const project = useProject();
  const can = useCan();
  return (
    <Step
      isDone={isDone}
      isNext={!isDone}
      title={words.list.enrolClient}
      action={
        !isDone &&
        can(routes.enrolment.createToken) && (
          <StepLink isNext text={words.list.enrolClient}>
            {(props) => (
              <Link to="/p/$project/clients" params={{ project: project.name }} search={{ enrol: 'new' }} {...props} />
            )}
          </StepLink>
        )
      }
    >
      {words.list.enrolClientText}
    </Step>
  );
}

interface StepProps {
  readonly isDone: boolean;
  readonly isNext: boolean;
  readonly title: string;
  readonly children: ReactNode;
  readonly action: ReactNode;
}

function Step({ isDone, isNext, title, children, action }: StepProps) {
  return (
    <li className={classes.step} aria-current={isNext ? 'step' : undefined}>
      <span className={classes.stepTitle}>
        <StateShape tone={isDone ? 'good' : isNext ? 'busy' : 'quiet'} shape={isDone ? 'full' : 'ring'} />
        {title}
        {isDone && <span className={classes.dimmed}>{words.step.done}</span>}
      </span>
      <span className={classes.dimmed}>{children}</span>
      {action}
    </li>
  );
}

interface StepLinkProps {
  readonly isNext: boolean;
  readonly text: string;
  readonly children: (props: object) => ReactNode;
}

function StepLink({ isNext, text, children }: StepLinkProps) {
  return (
    <span>
      <Button variant={isNext ? 'filled' : 'default'} renderRoot={children}>
        {text}
      </Button>
    </span>
  );
}
