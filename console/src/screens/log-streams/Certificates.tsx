import { Textarea } from '@mantine/core';
import type { ChangeEvent } from 'react';
import { KINDS } from './kinds.ts';

type Name = 'caCertificate' | 'clientCertificate';
type Props = {
  kind: keyof typeof KINDS;
  text: (name: Name) => {
    value: string;
    error: string | undefined;
    onChange: (event: ChangeEvent<HTMLTextAreaElement>) => void;
  };
};

/** The certificates with which a log stream and its destination recognise each other. */
export function Certificates({ kind, text }: Props) {
  return (
    <>
      <Textarea
        label="CA certificates"
        description="In PEM. Required if no public authority signed the destination’s certificate. Empty: the public authorities are trusted."
        autosize
        maxRows={4}
        {...text('caCertificate')}
      />
      {KINDS[kind].certificates && (
        <Textarea
          label="Client certificate"
          description="In PEM."
          autosize
          maxRows={4}
          {...text('clientCertificate')}
        />
      )}
    </>
  );
}
