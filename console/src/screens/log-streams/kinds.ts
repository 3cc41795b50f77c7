import type { LogStream } from '#api/records.ts';

type Kind = LogStream['kind'];

/** What differs between the kinds of destinations. */
type KindForm = {
  label: string;
  placeholder: string;
  secret: { label: string; required: boolean; description?: string };
  /** The secret is sent in a header that the operator names. */
  header?: true;
  /** TLS with a client certificate of the operator. */
  certificates?: true;
};

export const KINDS: Readonly<Record<Kind, KindForm>> = {
  splunk: {
    label: 'Splunk',
    placeholder: 'https://splunk.example.com:8088/services/collector/event',
    secret: { label: 'HEC token', required: true },
  },
  datadog: {
    label: 'Datadog',
    placeholder: 'https://http-intake.logs.datadoghq.eu/api/v2/logs',
    secret: { label: 'API key', required: true },
  },
  elastic: {
    label: 'Elastic',
    placeholder: 'https://elastic.example.com/logs-latchkey-default/_bulk',
    secret: { label: 'API key (encoded)', required: true },
  },
  otlp: {
    label: 'OpenTelemetry (OTLP/HTTP)',
    placeholder: 'https://otel.example.com/v1/logs',
    secret: { label: 'Header value', required: false, description: 'Includes the scheme, such as Bearer abc.' },
    header: true,
  },
  syslog: {
    label: 'Syslog over TLS',
    placeholder: 'tls://logs.example.com:6514',
    secret: {
      label: 'Private key',
      required: false,
      description: 'The key of the client certificate, in PEM without a password.',
    },
    certificates: true,
  },
  json_lines: {
    label: 'JSON lines over HTTP',
    placeholder: 'https://logs.example.com/latchkey',
    secret: { label: 'Header value', required: false, description: 'Includes the scheme, such as Bearer abc.' },
    header: true,
  },
};

export const KIND_CHOICES = Object.entries(KINDS).map(([value, { label }]) => ({ value, label }));

export function isKind(value: string | null): value is Kind {
  return value !== null && value in KINDS;
}
