import { Alert } from '@mantine/core';
import type { PromotionOutcome } from '#api/records.ts';
import { SecretOnce } from '#ui/SecretOnce.tsx';
import { nameOf } from './Change.tsx';
import classes from './promotion.module.css';

type Step = PromotionOutcome['done'][number];

const VERBS = { create: 'Added', change: 'Changed', remove: 'Removed' } as const;
const VERB = { create: 'add', change: 'change', remove: 'remove' } as const;

/** What was applied, what failed, and what was therefore not tried. */
export function Outcome({ outcome: { done, failed, left } }: { outcome: PromotionOutcome }) {
  return (
    <>
      {failed && (
        <Alert color="red" role="alert" title={`Could not ${VERB[failed.action]} ${nameOf(failed)}`}>
          <p>{failed.reason}</p>
          {left.length > 0 && (
            <>
              <p>What comes after it was not tried:</p>
              <Steps steps={left} textOf={(step) => `${VERB[step.action]} ${nameOf(step)}`} />
            </>
          )}
        </Alert>
      )}
      {done.length > 0 && (
        <Alert
          color="green"
          role="status"
          title={done.length === 1 ? '1 change applied' : `${done.length} changes applied`}
        >
          <Steps steps={done} textOf={(step) => `${VERBS[step.action]} ${nameOf(step)}`} />
        </Alert>
      )}
    </>
  );
}

function Steps({ steps, textOf }: { steps: readonly Step[]; textOf: (step: Step) => string }) {
  return (
    <ul className={classes.list}>
      {steps.map((step) => (
        <li key={textOf(step)}>{textOf(step)}</li>
      ))}
    </ul>
  );
}

type IssuedProps = { issued: PromotionOutcome['issued']; onClose: () => void };

/** Shows the secrets of new records, one after the other. */
export function IssuedSecret({ issued: [first], onClose }: IssuedProps) {
  if (!first) return null;
  const { kind, key, field, value } = first;
  return (
    <SecretOnce key={`${kind} ${key} ${field}`} title={`The ${field} of ${key}`} secret={value} onClose={onClose} />
  );
}
