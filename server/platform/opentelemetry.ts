import { DiagLogLevel, diag, ROOT_CONTEXT, SpanKind, SpanStatusCode, TraceFlags, trace } from '@opentelemetry/api';
import { OTLPTraceExporter as JsonExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { OTLPTraceExporter as ProtobufExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { defaultResource, detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import { BasicTracerProvider, BatchSpanProcessor, RandomIdGenerator } from '@opentelemetry/sdk-trace-base';
import type { Logger } from 'pino';
import type { Config } from './config.ts';
import type { OpenSpan, Parent, SpanDescription, Tracer } from './trace.ts';

const KINDS = {
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  consumer: SpanKind.CONSUMER,
  internal: SpanKind.INTERNAL,
} as const;

/**
 * Exports spans over OTLP. Endpoint, headers, sampler, batches and resource follow the variables `OTEL_*`, which the SDK
 * reads. Loaded only when traces are on.
 */
export function openTracer({ config: { traces, roles }, log }: { config: Config; log: Logger }): Tracer {
  const warn = (message: string) => log.warn({ component: 'opentelemetry' }, message);
  diag.setLogger(
    { error: warn, warn, info: () => undefined, debug: () => undefined, verbose: () => undefined },
    { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true },
  );
  // The id of a trace is known before its first span: samplers decide by it, so every process decides the same.
  let traceId = '';
  const { generateSpanId } = new RandomIdGenerator();
  const exporter = traces === 'http/json' ? new JsonExporter() : new ProtobufExporter();
  const own = resourceFromAttributes({ 'service.name': 'latchkey', 'latchkey.roles': roles.join() });
  const provider = new BasicTracerProvider({
    idGenerator: { generateTraceId: () => traceId, generateSpanId },
    resource: defaultResource()
      .merge(own)
      .merge(detectResources({ detectors: [envDetector] })),
    spanProcessors: [new BatchSpanProcessor(exporter)],
  });
  const tracer = provider.getTracer('latchkey');
  const open = ({ name, kind, attributes = {} }: SpanDescription, parent: Parent): OpenSpan => {
    traceId = parent.traceId;
    const options = { kind: KINDS[kind], attributes, root: parent.spanId === undefined };
    const span = tracer.startSpan(name, options, contextOf(parent));
    const { spanId, traceFlags } = span.spanContext();
    return {
      spanId,
      sampled: (traceFlags & TraceFlags.SAMPLED) === TraceFlags.SAMPLED,
      name: (better) => span.updateName(better),
      set: (more) => span.setAttributes(more),
      end: (error) => {
        if (error !== undefined) span.setAttribute('error.type', error).setStatus({ code: SpanStatusCode.ERROR });
        span.end();
      },
    };
  };
  return { open, stop: () => provider.shutdown() };
}

function contextOf({ traceId, spanId, sampled }: Parent) {
  if (spanId === undefined) return ROOT_CONTEXT;
  const traceFlags = sampled ? TraceFlags.SAMPLED : TraceFlags.NONE;
  return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags, isRemote: true });
}
