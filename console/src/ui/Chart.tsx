import { useElementSize } from '@mantine/hooks';
import { Fragment, type PointerEvent, useState } from 'react';
import classes from './chart.module.css';
import { shortDay } from './moments.ts';
import { placesOf, stretchesOf, ticksUpTo } from './scale.ts';

/** A value is null where nothing was measured: a line has a gap there. */
type Series = { name: string; tone: 'blue' | 'green' | 'red'; values: readonly (number | null)[] };
type ChartProps = {
  label: string;
  kind: 'lines' | 'stack';
  dates: readonly string[];
  series: readonly Series[];
  /** Names a point of the axis; by default its day. */
  nameOf?: (date: string) => string;
};

const HEIGHT = 208;
const LEFT = 40;
const BOTTOM = 22;
const TOP = 8;
const DAY_LABEL = 76;

/** Daily figures as lines or stacked bars; hovering a day shows its numbers. */
export function Chart({ label, kind, dates, series, nameOf = shortDay }: ChartProps) {
  const { ref, width } = useElementSize();
  const [at, setAt] = useState<number | null>(null);
  const sums = dates.map((_, day) => series.reduce((sum, { values }) => sum + (values[day] ?? 0), 0));
  const max =
    kind === 'stack'
      ? Math.max(0, ...sums)
      : Math.max(0, ...series.flatMap(({ values }) => values.map((value) => value ?? 0)));
  const ticks = ticksUpTo(max);
  const band = Math.max(0, width - LEFT) / Math.max(1, dates.length);
  const x = (day: number) => LEFT + band * (day + 0.5);
  const y = (value: number) => TOP + (HEIGHT - TOP - BOTTOM) * (1 - value / (ticks.at(-1) ?? 1));
  const follow = (event: PointerEvent<SVGElement>) => {
    const day = Math.floor((event.clientX - event.currentTarget.getBoundingClientRect().left - LEFT) / band);
    setAt(day >= 0 && day < dates.length ? day : null);
  };
  return (
    <figure className={classes.chart} ref={ref}>
      <svg
        width="100%"
        height={HEIGHT}
        role="img"
        aria-label={label}
        onPointerMove={follow}
        onPointerLeave={() => setAt(null)}
      >
        {width > 0 && (
          <>
            {ticks.map((tick) => (
              <g key={tick}>
                <line className={classes.grid} x1={LEFT} x2={width} y1={y(tick)} y2={y(tick)} />
                <text className={classes.mark} x={LEFT - 8} y={y(tick)} dy="0.32em" textAnchor="end">
                  {tick.toLocaleString('en', { notation: 'compact' })}
                </text>
              </g>
            ))}
            {placesOf(dates.length, Math.floor((width - LEFT) / DAY_LABEL)).map((day) => (
              <text
                key={day}
                className={classes.mark}
                x={x(day)}
                y={HEIGHT - 4}
                textAnchor={day === dates.length - 1 ? 'end' : 'middle'}
                dx={day === dates.length - 1 ? band / 2 : 0}
              >
                {nameOf(dates[day] ?? '')}
              </text>
            ))}
            {at !== null && (
              <rect
                className={classes.cursor}
                x={x(at) - band / 2}
                width={band}
                y={TOP}
                height={HEIGHT - TOP - BOTTOM}
              />
            )}
            {kind === 'lines' ? (
              <Lines series={series} x={x} y={y} />
            ) : (
              <Stack series={series} dates={dates} x={x} y={y} band={band} />
            )}
          </>
        )}
      </svg>
      <Legend series={series} day={at} name={at === null ? null : nameOf(dates[at] ?? '')} />
    </figure>
  );
}

type Scaled = { series: readonly Series[]; x: (day: number) => number; y: (value: number) => number };

function Lines({ series, x, y }: Scaled) {
  return series.map(({ name, tone, values }) => (
    <g key={name} data-tone={tone}>
      {stretchesOf(values).map(({ from, measured }) => {
        const [start, end] = [x(from), x(from + measured.length - 1)];
        const points = measured.map((value, index) => `L${x(from + index).toFixed(1)},${y(value).toFixed(1)}`).join('');
        return (
          <Fragment key={from}>
            <path className={classes.area} d={`M${start},${y(0)}${points}L${end},${y(0)}Z`} />
            <path className={classes.line} d={`M${points.slice(1)}h0`} />
          </Fragment>
        );
      })}
    </g>
  ));
}

function Stack({ series, dates, x, y, band }: Scaled & { dates: readonly string[]; band: number }) {
  const width = Math.min(18, band * 0.7);
  return series.map(({ name, tone, values }, index) => (
    <g key={name} data-tone={tone}>
      {values.map((measured, day) => {
        const value = measured ?? 0;
        const below = series.slice(0, index).reduce((sum, lower) => sum + (lower.values[day] ?? 0), 0);
        const top = y(below + value);
        return (
          <rect
            key={dates[day]}
            className={classes.bar}
            x={x(day) - width / 2}
            width={width}
            y={top}
            height={Math.max(0, y(below) - top)}
          />
        );
      })}
    </g>
  ));
}

function Legend({ series, day, name: point }: { series: readonly Series[]; day: number | null; name: string | null }) {
  return (
    <figcaption className={classes.legend}>
      {series.map(({ name, tone, values }) => (
        <span key={name} data-tone={tone}>
          {name}
          {day !== null && <b>{values[day]?.toLocaleString('en') ?? '–'}</b>}
        </span>
      ))}
      <span className={classes.day}>{point}</span>
    </figcaption>
  );
}
