import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { routes } from '../../api/index.ts';
import { useCan, useProject } from '../../app/project.tsx';
import { Section, StateShape } from '../../ui/index.ts';
import classes from './overview.module.css';
import type { FirstSteps as Steps } from './troubles.ts';

/** Until something is deployed: what to do next. */
export function FirstSteps({ steps: { hasClient, hasService } }: { steps: Steps }) {
  const project = useProject();
  const can = useCan();
  const params = { project: project.name };
  return (
    <Section title="First steps">
      <ol className={classes.steps}>
        <Step
          isDone={hasClient}
          isNext={!hasClient}
          title="Enrol a client"
          action={
            !hasClient &&
            can(routes.enrolment.createToken) && (
              <StepLink isNext text="Enrol a client">
                {(props) => <Link to="/p/$project/clients" params={params} search={{ enrol: 'new' }} {...props} />}
              </StepLink>
            )
          }
        >
          A host that runs your proxies joins by one command.
        </Step>
        <Step
          isDone={hasService}
          isNext={hasClient && !hasService}
          title="Create a service"
          action={
            !hasService &&
            can(routes.service.create) && (
              <StepLink isNext={hasClient} text="Create a service">
                {(props) => <Link to="/p/$project/services/new" params={params} {...props} />}
              </StepLink>
            )
          }
        >
          A service is a proxy with its bootstrap, listeners, policies and the clients that it is for.
        </Step>
        <Step
          isDone={false}
          isNext={hasClient && hasService}
          title="Deploy it"
          action={
            hasService && (
              <StepLink isNext={hasClient} text="Show the services">
                {(props) => <Link to="/p/$project/services" params={params} {...props} />}
              </StepLink>
            )
          }
        >
          The agents then start Envoy, and tell when it runs what you configured.
        </Step>
      </ol>
    </Section>
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
        {isDone && <span className={classes.dimmed}>done</span>}
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
