import { ActionIcon, Button, CopyButton, Tooltip } from '@mantine/core';
import classes from './copy.module.css';
import { CheckIcon, CopyIcon } from './icons.ts';

/** A value in monospace with a copy button. */
export function Copy({ value, shown, name }: { value: string; shown?: string; name?: string }) {
  return (
    <span className={classes.copy}>
      <code className={classes.value} title={value}>
        {shown ?? value}
      </code>
      <CopyIconButton value={value} name={name ?? value} />
    </span>
  );
}

type CopyIconProps = { value: string; name: string; hint?: string; tabIndex?: number };

export function CopyIconButton({ value, name, hint = 'Copy', tabIndex }: CopyIconProps) {
  return (
    <CopyButton value={value} timeout={1500}>
      {({ copied, copy }) => (
        <Tooltip label={copied ? 'Copied' : hint}>
          <ActionIcon
            tabIndex={tabIndex}
            variant="subtle"
            color="gray"
            size="sm"
            onClick={copy}
            aria-label={copied ? 'Copied' : `Copy ${name}`}
          >
            {copied ? <CheckIcon size={14} /> : <CopyIcon size={14} />}
          </ActionIcon>
        </Tooltip>
      )}
    </CopyButton>
  );
}

type CodeBlockProps = {
  code: string;
  name: string;
  /** The text to copy, if it differs from the shown text. */
  exact?: string;
  /** Breaks long lines, so that all of a secret is seen. */
  wrapped?: boolean;
};

/** A code block with a copy button. */
export function CodeBlock({ code, name, exact = code, wrapped = false }: CodeBlockProps) {
  return (
    <div className={classes.block}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so a keyboard must reach it */}
      <pre className={classes.pre} data-wrapped={wrapped} tabIndex={0}>
        <code>{code}</code>
      </pre>
      <CopyButton value={exact} timeout={1500}>
        {({ copied, copy }) => (
          <Button
            className={classes.button}
            size="compact-xs"
            variant="default"
            onClick={copy}
            aria-label={`Copy ${name}`}
          >
            {copied ? 'Copied' : 'Copy'}
          </Button>
        )}
      </CopyButton>
    </div>
  );
}
