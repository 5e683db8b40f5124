import { Button } from '@mantine/core';
import { EngineSlots } from '../engines/engine-slots.tsx';
import { PolicyField } from '../fields/policy-field.tsx';
import { OwnAnswer } from './answer-fields.tsx';
import { EngineMarks } from './engine-marks.tsx';
import { ErrorCount } from './error-count.tsx';
import classes from './form.module.css';
import { usePolicyForm } from './form-context.ts';
import { ModeField } from './mode-field.tsx';
import type { Members, RouteView } from './policy-view.ts';
import { texts } from './texts.tsx';

const text = texts.routePart;

interface RoutePartProps {
  readonly route: RouteView;
  readonly place: string;
  readonly domainMode: string;
  readonly domainAnswer: Members;
  readonly isOpen: boolean;
  readonly isNew: boolean;
  readonly onOpen: (isOpen: boolean) => void;
  readonly onRemove: () => void;
}

export function RoutePart({ route, place, domainMode, domainAnswer, isOpen, isNew, onOpen, onRemove }: RoutePartProps) {
  const { errorsWithin, isReadOnly } = usePolicyForm();
  const name = route.prefix || text.noPath;
  return (
    <section className={classes.route} aria-label={text.title(name)} data-place={place}>
      <div className={classes.head}>
        <button type="button" className={classes.toggle} aria-expanded={isOpen} onClick={() => onOpen(!isOpen)}>
          <span className={classes.mark} aria-hidden>
            {isOpen ? '▾' : '▸'}
          </span>
          <bdi className="mono">{name}</bdi>
        </button>
        <ErrorCount errors={errorsWithin(route.path)} />
        {!isOpen && (
          <span className={classes.dimmed}>
            {route.effectiveMode !== domainMode && `${route.effectiveMode}, `}
            <EngineMarks slots={route.engines} />
          </span>
        )}
        {isOpen && !isReadOnly && (
          <span className={classes.end}>
            <Button variant="subtle" color="gray" size="compact-xs" onClick={onRemove}>
              {text.remove}
            </Button>
          </span>
        )}
      </div>
      {isOpen && (
        <div className={classes.body}>
          <PolicyField
            type="policy.Match"
            name={route.matchBy}
            path={[...route.path, 'match']}
            members={{ [route.matchBy]: route.prefix }}
            autoFocus={isNew}
          />
          <ModeField path={route.path} mode={route.mode} inherited={domainMode} from="domain" />
          <OwnAnswer path={route.path} answer={route.answer} inherited={domainAnswer} from="domain" />
          <div>
            <h3>{text.engines}</h3>
            <EngineSlots slots={route.engines} of={name} />
          </div>
        </div>
      )}
    </section>
  );
}
