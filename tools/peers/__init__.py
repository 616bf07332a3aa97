"""What compare_peers.py is made of: problems, and one file per peer."""
