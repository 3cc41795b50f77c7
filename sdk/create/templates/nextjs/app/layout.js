import './style.css';

export const metadata = { title: 'My application' };

export default function Layout({ children }) {
  return (
    <html lang="en">
      <body>
        <main>
          <h1>My application</h1>
          {children}
        </main>
      </body>
    </html>
  );
}
