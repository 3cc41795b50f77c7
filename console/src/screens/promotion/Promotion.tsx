import { Alert, Button, Group, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Promotion as Plan, PromotionChange, PromotionOutcome } from '#api/records.ts';
import { useApi, useCan, useScope } from '#api/scope.tsx';
import { useAction } from '#ui/action.ts';
import type { Question } from '#ui/ask.tsx';
import { notifyProblem } from '#ui/notice.tsx';
import { Page } from '#ui/page.tsx';
import { Empty, Loaded } from '#ui/states.tsx';
import { Change, nameOf } from './Change.tsx';
import { type Choices, choicesOf, chosenOf, requestOf, secretsOf, withFields } from './choices.ts';
import { IssuedSecret, Outcome } from './Outcome.tsx';
import classes from './promotion.module.css';

/** The configuration of the other environment beside that of this one, and the changes to take over. */
export function Promotion() {
  const { environment } = useScope();
  const other = environment === 'test' ? 'production' : 'test';
  const plan = useApi().useQuery('get', '/console/v1/promotion');
  const [outcome, setOutcome] = useState<PromotionOutcome | null>(null);
  const [issued, setIssued] = useState<PromotionOutcome['issued']>([]);
  const finish = (result: PromotionOutcome) => {
    setOutcome(result);
    setIssued(result.issued);
  };
  return (
    <Page
      title="Promotion"
      about={`What has to change so that ${environment} is configured as ${other}. Choose what to take over; nothing else changes. For the opposite direction, switch to ${other}.`}
    >
      {outcome && <Outcome outcome={outcome} />}
      <Loaded query={plan}>{(data) => <Differences plan={data} onApplied={finish} />}</Loaded>
      <IssuedSecret issued={issued} onClose={() => setIssued(issued.slice(1))} />
    </Page>
  );
}

type DifferencesProps = { plan: Plan; onApplied: (outcome: PromotionOutcome) => void };

function Differences({ plan: { from, changes, faults, notCompared }, onApplied }: DifferencesProps) {
  const canWrite = useCan('settings:write');
  const [choices, setChoices] = useState<Choices>(new Map());
  const [values, setValues] = useState<Readonly<Record<string, string>>>({});
  const applied = (outcome: PromotionOutcome) => {
    setValues({});
    onApplied(outcome);
  };
  return (
    <>
      <Notes faults={faults} notCompared={notCompared} />
      {changes.length === 0 && (
        <Empty title={notCompared.length > 0 ? 'Nothing differs in what was compared' : 'Nothing differs'}>
          The configuration is the same as in {from}.
        </Empty>
      )}
      {changes.map((change) => {
        const own = choices.get(change.id) ?? [];
        return (
          <Change
            key={change.id}
            change={change}
            chosen={canWrite ? own : null}
            onChoose={(fields) => setChoices(withFields(choices, change, fields))}
            secrets={{ names: secretsOf([change], choices), values }}
            onSecret={(name, value) => setValues({ ...values, [name]: value })}
          />
        );
      })}
      {canWrite && changes.length > 0 && (
        <Bar changes={changes} choices={choices} values={values} onChoose={setChoices} onApplied={applied} />
      )}
    </>
  );
}

function Notes({ faults, notCompared }: Pick<Plan, 'faults' | 'notCompared'>) {
  return (
    <>
      {notCompared.length > 0 && (
        <Alert color="yellow" role="note" title="Not compared, because your role may not read it">
          <ul className={classes.list}>
            {notCompared.map(({ title, permission }) => (
              <li key={title}>
                {title} (<code>{permission}</code>)
              </li>
            ))}
          </ul>
        </Alert>
      )}
      {faults.length > 0 && (
        <Alert color="yellow" role="note" title="These differences cannot be applied here">
          <ul className={classes.list}>
            {faults.map((fault) => (
              <li key={fault}>{fault}</li>
            ))}
          </ul>
        </Alert>
      )}
    </>
  );
}

type BarProps = {
  changes: readonly PromotionChange[];
  choices: Choices;
  values: Readonly<Record<string, string>>;
  onChoose: (choices: Choices) => void;
  onApplied: (outcome: PromotionOutcome) => void;
};

/** Chooses everything or nothing, and applies what is chosen. */
function Bar({ changes, choices, values, onChoose, onApplied }: BarProps) {
  const queries = useQueryClient();
  const apply = useAction(useApi().useMutation('post', '/console/v1/promotion'));
  const chosen = chosenOf(changes, choices);
  const names = secretsOf(changes, choices);
  const ready = chosen.length > 0 && names.every((name) => values[name]);
  const whole = chosen.length === changes.length;
  const label = chosen.length > 1 ? `Apply ${chosen.length} changes` : 'Apply the change';
  // The notice says that an environment has changed; the new plan shows how.
  const onProblem = ({ status }: { status: number }) => {
    if (status === 409) queries.invalidateQueries().catch(() => undefined);
    return false;
  };
  const run = async () => {
    const secrets = names.map((name) => ({ name, value: values[name] ?? '' }));
    const question = removalQuestion(chosen, label);
    const outcome = await apply.run(
      { body: { changes: requestOf(changes, choices), secrets } },
      { done: doneText, change: label, onProblem, ...(question && { question }) },
    );
    if (outcome?.failed) notifyProblem({ title: 'Stopped at a change that failed', detail: outcome.failed.reason });
    if (outcome) onApplied(outcome);
  };
  return (
    <div className={classes.bar}>
      <Text size="sm" c="var(--lk-quiet)">
        {chosen.length} of {changes.length} chosen
      </Text>
      <Group gap="xs">
        <Button
          variant="default"
          onClick={() => onChoose(new Map(whole ? [] : changes.map((change) => [change.id, choicesOf(change)])))}
        >
          {whole ? 'Choose none' : 'Choose all'}
        </Button>
        <Button disabled={!ready} loading={apply.busy} onClick={run}>
          {label}
        </Button>
      </Group>
    </div>
  );
}

function doneText({ done, failed }: PromotionOutcome): string | null {
  if (failed) return null;
  return done.length === 1 ? '1 change is applied' : `${done.length} changes are applied`;
}

/** A removal asks in test, too. */
function removalQuestion(chosen: readonly PromotionChange[], action: string): Question | null {
  const removed = chosen.filter((change) => change.action === 'remove');
  if (removed.length === 0) return null;
  return {
    title: `${action}?`,
    body: `This removes ${removed.map(nameOf).join(', ')} from this environment.`,
    action,
    danger: true,
  };
}
