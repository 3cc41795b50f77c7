import type { ReactNode } from 'react';
import classes from './badge.module.css';

export type Tone = 'good' | 'warn' | 'bad' | 'quiet' | 'info';

/** A state as a word with a coloured dot; the colour carries no extra information. */
export function Badge({ tone = 'quiet', children }: { tone?: Tone; children: ReactNode }) {
  return (
    <span className={classes.badge} data-tone={tone}>
      {children}
    </span>
  );
}

const TONES: Record<string, Tone> = {
  active: 'good',
  delivered: 'good',
  operational: 'good',
  verified: 'good',
  accepted: 'good',
  applied: 'good',
  resolved: 'good',
  completed: 'good',
  sent: 'good',
  enabled: 'good',
  created: 'good',
  joined: 'good',
  paid: 'good',
  invited: 'info',
  pending: 'info',
  queued: 'info',
  scheduled: 'info',
  receiving: 'info',
  running: 'info',
  open: 'info',
  monitoring: 'info',
  retrying: 'warn',
  canceling: 'warn',
  identified: 'warn',
  investigating: 'bad',
  in_progress: 'warn',
  past_due: 'warn',
  degraded_performance: 'warn',
  partial_outage: 'warn',
  minor: 'warn',
  blocked: 'bad',
  failed: 'bad',
  lost: 'bad',
  skipped: 'bad',
  refused: 'bad',
  overdue: 'bad',
  major_outage: 'bad',
  major: 'bad',
  critical: 'bad',
};

/** The badge for a state of the API. */
export function StateBadge({ state }: { state: string }) {
  return <Badge tone={TONES[state] ?? 'quiet'}>{sentence(state)}</Badge>;
}

/** Turns `degraded_performance` into "Degraded performance". */
export function sentence(key: string): string {
  const words = key.replaceAll(/[_.]/g, ' ').replaceAll(/\b(sms|mfa|api)\b/g, (word) => word.toUpperCase());
  return words.charAt(0).toUpperCase() + words.slice(1);
}
