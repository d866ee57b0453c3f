import { Link } from '@tanstack/react-router';
import { Card, Empty } from './basics.tsx';

export const NotFound = () => (
  <Card>
    <Empty title="There is no such page">
      <Link to="/" search={true} className="text-accent underline">
        Go to the overview
      </Link>
    </Empty>
  </Card>
);
